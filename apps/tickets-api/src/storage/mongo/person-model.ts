import { type Connection, type Model, Schema } from 'mongoose';
import type { Person, PersonRecord } from '../../helpdesk/people/person.ts';
import { type PersonSort, personSortFields, toNameKey } from '../../helpdesk/people/person-order.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { personKeys, personTerms, toStoredListKey } from '../person-terms.ts';
import { createDocumentSchema } from './document-schema.ts';

/** Person as MongoDB stores them. */
export interface PersonDocument {
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
export const personSortPaths: Readonly<Record<PersonSort['field'], string>> = {
  email: 'place',
  name: 'name_key',
  created_at: 'record.person.created_at',
  updated_at: 'record.person.updated_at',
};

/** The index of a list of people in an order, within a role or not. */
export function personIndexName(field: PersonSort['field'], hasRole: boolean): string {
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

export function toPersonDocument(record: PersonRecord): PersonDocument {
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
export function toOwnKey(id: string): string {
  return `id:${id}`;
}

/** Returns the first characters of a term, as the index has them. */
export function startOf(term: string, length = START_LENGTH): string {
  return Array.from(term.slice(0, 2 * length))
    .slice(0, length)
    .join('');
}

export function toPersonRecord({ record }: PersonDocument): PersonRecord {
  return deepFreeze(record);
}
