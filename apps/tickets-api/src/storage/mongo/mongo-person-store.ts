import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import { type Model, trusted } from 'mongoose';
import type { Person } from '../../people/person.ts';
import type { PersonQuery, PersonStore } from '../../people/person-store.ts';
import { type PersonDocument, startOf, toPerson, toPersonDocument, toSearchFields } from './person-model.ts';

const MAX_RACES = 5;

export function createMongoPersonStore(people: Model<PersonDocument>): PersonStore {
  const findByEmail = (email: string) => people.findOne({ email: { $eq: email } }).lean();

  /** Of racing upserts the unique index refuses all but one; asked again, they find what that has added. */
  async function findOrAdd(candidate: Person): Promise<PersonDocument> {
    for (let i = 0; i < MAX_RACES; i++) {
      const person = await upsert(people, candidate);
      if (person) return person;
    }
    throw new Error('A person could be neither found nor added.');
  }

  async function ensure(candidate: Person): Promise<PersonDocument> {
    const found = (await findByEmail(candidate.email)) ?? (await findOrAdd(candidate));
    if (found.name !== null || candidate.name === null) return found;
    return (await nameUnnamed(people, candidate)) ?? ensure(candidate);
  }

  return {
    ensure: (candidate) => guardMongo(async () => toPerson(await ensure(candidate))),
    find: (id) =>
      guardMongo(async () => {
        const document = await people.findOne({ _id: { $eq: id } }).lean();
        return document ? toPerson(document) : undefined;
      }),
    findAll: (ids) =>
      guardMongo(async () => (await people.find({ _id: trusted({ $in: ids }) }).lean()).map(toPerson)),
    findByEmail: (email) =>
      guardMongo(async () => {
        const document = await findByEmail(email);
        return document ? toPerson(document) : undefined;
      }),
    list: (query) => guardMongo(async () => (await selectPeople(people, query)).map(toPerson)),
  };
}

/** The person who is there afterwards; `null`: another was about to add them. */
async function upsert(people: Model<PersonDocument>, candidate: Person): Promise<PersonDocument | null> {
  const options = { upsert: true, returnDocument: 'after' } as const;
  const { email, ...members } = toPersonDocument(candidate);
  try {
    return await people
      .findOneAndUpdate({ email: { $eq: email } }, { $setOnInsert: members }, options)
      .lean();
  } catch (err) {
    if (!isDuplicateKey(err)) throw err;
    return null;
  }
}

/** The person with the name that they now have; `null`: somebody else has given them one. */
function nameUnnamed(people: Model<PersonDocument>, { email, name }: Person) {
  const options = { returnDocument: 'after' } as const;
  const members = { name, ...toSearchFields({ email, name }) };
  return people.findOneAndUpdate({ email: { $eq: email }, name: null }, { $set: members }, options).lean();
}

/** Behind every character, so that all that begins with a prefix lies before it. */
const LAST_CHARACTER = '\u{10FFFF}';

/** The documents of a list, found by walking an index in order of e-mail address. */
export function selectPeople(people: Model<PersonDocument>, { prefix = '', after, limit }: PersonQuery) {
  const begins = { $elemMatch: { $gte: prefix, $lt: prefix + LAST_CHARACTER } };
  return people
    .find({
      ...(prefix !== '' && { starts: { $eq: startOf(prefix) }, terms: trusted(begins) }),
      ...(after !== undefined && { email: trusted({ $gt: after }) }),
    })
    .sort({ email: 'asc' })
    .limit(limit)
    .hint(prefix === '' ? 'email' : 'starts')
    .lean();
}
