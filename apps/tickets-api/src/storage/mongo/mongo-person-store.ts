import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { type ClientSession, type Model, type QueryFilter, trusted } from 'mongoose';
import { byEmail } from '../../helpdesk/people/person-order.ts';
import type { PersonQuery, PersonStore, PersonWrite } from '../../helpdesk/people/person-store.ts';
import { AFTER_PEOPLE, toAddressKey, toIdentityKey } from '../person-terms.ts';
import { createCommitOnce } from './commit-once.ts';
import type { MongoModels } from './models.ts';
import {
  type PersonDocument,
  personIndexName,
  personSortPaths,
  startOf,
  toOwnKey,
  toPersonDocument,
  toPersonRecord,
} from './person-model.ts';

export function createMongoPersonStore({
  people,
  records,
}: Pick<MongoModels, 'people' | 'records'>): PersonStore {
  const transactions = createTransactions(people.db);
  const commitOnce = createCommitOnce(records);

  /** Replaces one document directly; several in a transaction, which first releases the keys that may move. */
  function write(writes: readonly PersonWrite[]): Promise<boolean> {
    const [only] = writes;
    if (only && writes.length === 1) return put(people, only);
    return transactions.run(async (session) => {
      if (await writeAll(writes, session)) return true;
      await session.abortTransaction();
      return false;
    });
  }

  async function writeAll(writes: readonly PersonWrite[], session: ClientSession): Promise<boolean> {
    for (const each of [releaseKeys, put]) {
      for (const change of writes) if (!(await each(people, change, session))) return false;
    }
    return true;
  }

  async function findByKeys(keys: readonly string[]) {
    return (await people.find({ keys: trusted({ $in: keys }) }).lean()).map(toPersonRecord);
  }

  return {
    write: (writes) => guardMongo(() => write(writes).catch(toFalseIfDuplicate)),
    commit: (writes, request) =>
      guardMongo(() => commitOnce(request, (session) => writeAll(writes, session).catch(toFalseIfDuplicate))),
    find: (id) =>
      guardMongo(async () => (await people.find({ _id: { $eq: id } }).lean()).map(toPersonRecord)[0]),
    findAll: (ids) =>
      guardMongo(async () => (await people.find({ _id: trusted({ $in: ids }) }).lean()).map(toPersonRecord)),
    findByEmail: (email) => guardMongo(async () => (await findByKeys([toAddressKey(email)]))[0]),
    findByEmails: (emails) => guardMongo(() => findByKeys(emails.map(toAddressKey))),
    findByIdentity: (identity) => guardMongo(async () => (await findByKeys([toIdentityKey(identity)]))[0]),
    listPendingMerges: (limit) =>
      guardMongo(async () => (await selectPendingMerges(people, limit)).map(toPersonRecord)),
    listPendingMaskings: (limit) =>
      guardMongo(async () => (await selectPendingMaskings(people, limit)).map(toPersonRecord)),
    list: (query) => guardMongo(async () => (await selectPeople(people, query)).map(toPersonRecord)),
    count: (query) =>
      guardMongo(() => people.countDocuments(toFilter(query)).limit(query.limit).hint(indexOf(query))),
  };
}

async function put(
  people: Model<PersonDocument>,
  { expectedVersion, record }: PersonWrite,
  session?: ClientSession,
): Promise<boolean> {
  const document = toPersonDocument(record);
  const options = session && { session };
  if (expectedVersion === undefined) {
    await people.insertOne(document, options);
    return true;
  }
  const filter = { _id: { $eq: document._id }, version: { $eq: expectedVersion } };
  return (await people.replaceOne(filter, document, options)).matchedCount === 1;
}

async function releaseKeys(
  people: Model<PersonDocument>,
  { expectedVersion, record }: PersonWrite,
  session: ClientSession,
): Promise<boolean> {
  if (expectedVersion === undefined) return true;
  const { id } = record.person;
  const filter = { _id: { $eq: id }, version: { $eq: expectedVersion } };
  const { matchedCount } = await people.updateOne(filter, { $set: { keys: [toOwnKey(id)] } }, { session });
  return matchedCount === 1;
}

function toFalseIfDuplicate(err: unknown): false {
  if (isDuplicateKey(err)) return false;
  throw err;
}

/** Selects people whose merge is pending. */
export function selectPendingMerges(people: Model<PersonDocument>, limit: number) {
  return people
    .find({ 'record.pendingMerge.since': trusted({ $exists: true }) })
    .hint('pending_merges')
    .limit(limit)
    .lean();
}

/** Selects people whose addresses still have to be masked. */
export function selectPendingMaskings(people: Model<PersonDocument>, limit: number) {
  return people
    .find({ 'record.maskingSince': trusted({ $exists: true }) })
    .hint('pending_maskings')
    .limit(limit)
    .lean();
}

/** Sorts after every other character, so that it ends the range of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

/** The documents of a list, found by walking an index in its order. */
export function selectPeople(people: Model<PersonDocument>, query: PersonQuery) {
  const { field, direction } = query.sort ?? byEmail;
  const path = personSortPaths[field];
  const order = field === 'email' ? { [path]: direction } : { [path]: direction, _id: direction };
  return people.find(toFilter(query)).sort(order).limit(query.limit).hint(indexOf(query)).lean();
}

function toFilter(query: PersonQuery): QueryFilter<PersonDocument> {
  const { prefix = '', roles } = query;
  const begins = { $elemMatch: { $gte: prefix, $lt: prefix + LAST_CHARACTER } };
  return {
    ...(prefix !== '' && { starts: { $eq: startOf(prefix) }, terms: trusted(begins) }),
    ...(roles && { role: trusted({ $in: roles }) }),
    ...toBehind(query),
  };
}

/** The condition for people behind a position, without people merged into others. */
function toBehind({ sort = byEmail, after }: PersonQuery): QueryFilter<PersonDocument> {
  const beyond = sort.direction === 'asc' ? '$gt' : '$lt';
  if (sort.field === 'email') {
    const first = sort.direction === 'asc' ? '' : AFTER_PEOPLE;
    return { place: trusted({ $lt: AFTER_PEOPLE, [beyond]: after?.value ?? first }) };
  }
  const path = personSortPaths[sort.field];
  const place = trusted({ $lt: AFTER_PEOPLE });
  if (!after) return { place };
  const { value, id } = after;
  const behind = [{ [path]: trusted({ [beyond]: value }) }, { _id: trusted({ [beyond]: id }) }];
  return { place, [path]: trusted({ [`${beyond}e`]: value }), $or: behind } as QueryFilter<PersonDocument>;
}

function indexOf({ prefix = '', roles, sort = byEmail }: PersonQuery): string {
  return prefix === '' ? personIndexName(sort.field, roles !== undefined) : 'starts';
}
