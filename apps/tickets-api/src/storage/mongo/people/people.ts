import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { type ClientSession, type Connection, type Model, type QueryFilter, Schema, trusted } from 'mongoose';
import type { Person, PersonRecord } from '../../../helpdesk/people/person.ts';
import {
  byEmail,
  type PersonSort,
  personSortFields,
  toNameKey,
} from '../../../helpdesk/people/person-order.ts';
import type { PersonQuery, PersonStore, PersonWrite } from '../../../helpdesk/people/person-store.ts';
import {
  AFTER_PEOPLE,
  personKeys,
  personTerms,
  toAddressKey,
  toIdentityKey,
  toStoredListKey,
} from '../../person-terms.ts';
import { createCommitOnce, type RequestRecordDocument } from '../commit/commit-once.ts';

export function createPersonStore({
  people,
  records,
}: {
  people: Model<PersonDocument>;
  records: Model<RequestRecordDocument>;
}): PersonStore {
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

/** Person as MongoDB stores them. */
interface PersonDocument {
  _id: string;
  version: number;
  record: PersonRecord;
  /** Addresses and identities, kept unique by the index, and the id, because the list must not be empty. */
  keys: string[];
  place: string;
  /** The text by which names are sorted. */
  name_key: string;
  role: Person['role'];
  terms: string[];
  /** First characters of the terms, so that one index leads to the people with a prefix in list order. */
  starts: string[];
}

/** Longer prefixes would save few comparisons and enlarge the index. */
const START_LENGTH = 3;

/** The path of the value that a list of people is sorted by. */
const personSortPaths: Readonly<Record<PersonSort['field'], string>> = {
  email: 'place',
  name: 'name_key',
  created_at: 'record.person.created_at',
  updated_at: 'record.person.updated_at',
};

/** The index of a list of people in an order, within a role or not. */
function personIndexName(field: PersonSort['field'], hasRole: boolean): string {
  if (field === 'email') return hasRole ? 'role' : 'place';
  return hasRole ? `role_${field}` : field;
}

const orderIndexes = personSortFields
  .filter((field) => field !== 'email')
  .flatMap((field) => [
    { name: personIndexName(field, false), key: { [personSortPaths[field]]: 1, _id: 1 } as const },
    { name: personIndexName(field, true), key: { role: 1, [personSortPaths[field]]: 1, _id: 1 } as const },
  ]);

export const personIndexes = [
  { name: 'keys', key: { keys: 1 } as const, unique: true },
  { name: 'place', key: { place: 1 } as const },
  { name: 'role', key: { role: 1, place: 1 } as const },
  ...orderIndexes,
  { name: 'starts', key: { starts: 1, place: 1 } as const },
  {
    name: 'pending_merges',
    key: { 'record.pendingMerge.since': 1 } as const,
    partialFilterExpression: { 'record.pendingMerge.since': { $exists: true } },
  },
  {
    name: 'pending_maskings',
    key: { 'record.maskingSince': 1 } as const,
    partialFilterExpression: { 'record.maskingSince': { $exists: true } },
  },
];

export function createPersonModel(connection: Connection): Model<PersonDocument> {
  const schema = createDocumentSchema<PersonDocument>({
    _id: String,
    version: Number,
    record: Schema.Types.Mixed,
    keys: [String],
    place: String,
    name_key: String,
    role: String,
    terms: [String],
    starts: [String],
  });
  return connection.model<PersonDocument>('Person', schema, 'people');
}

function toPersonDocument(record: PersonRecord): PersonDocument {
  const { person } = record;
  const terms = [...personTerms(person)];
  const starts = terms.flatMap((term) =>
    Array.from({ length: START_LENGTH }, (_, i) => startOf(term, i + 1)),
  );
  return {
    _id: person.id,
    version: person.version,
    record,
    keys: [toOwnKey(person.id), ...personKeys(record)],
    place: toStoredListKey(record),
    name_key: toNameKey(person.name),
    role: person.role,
    terms,
    starts: [...new Set(starts)],
  };
}

/** Returns the key that every person has. */
function toOwnKey(id: string): string {
  return `id:${id}`;
}

/** Returns the first characters of a term, as the index has them. */
function startOf(term: string, length = START_LENGTH): string {
  return Array.from(term.slice(0, 2 * length))
    .slice(0, length)
    .join('');
}

function toPersonRecord({ record }: PersonDocument): PersonRecord {
  return deepFreeze(record);
}
