import type { Connection, Model } from 'mongoose';
import type { Person } from '../../people/person.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { personTerms } from '../person-terms.ts';
import { createDocumentSchema } from './document-schema.ts';

/** A person as MongoDB holds them. */
export interface PersonDocument {
  _id: string;
  email: string;
  name: string | null;
  created_at: Date;
  terms: string[];
  /** How the terms begin, so that one index leads to whom a prefix may mean in order of e-mail address. */
  starts: string[];
}

/** Longer starts would find fewer in vain, and make the index larger. */
const START_LENGTH = 3;

export const personIndexes = [
  { name: 'email', key: { email: 1 } as const, unique: true },
  { name: 'starts', key: { starts: 1, email: 1 } as const },
];

export function createPersonModel(connection: Connection): Model<PersonDocument> {
  const schema = createDocumentSchema<PersonDocument>({
    _id: String,
    email: String,
    name: String,
    created_at: Date,
    terms: [String],
    starts: [String],
  });
  return connection.model<PersonDocument>('Person', schema, 'people');
}

export function toPersonDocument({ id, email, name, created_at }: Person): PersonDocument {
  return { _id: id, email, name, created_at: new Date(created_at), ...toSearchFields({ email, name }) };
}

/** What a person is searched by. */
export function toSearchFields(person: Pick<Person, 'email' | 'name'>) {
  const terms = [...personTerms(person)];
  const starts = terms.flatMap((term) =>
    Array.from({ length: START_LENGTH }, (_, i) => startOf(term, i + 1)),
  );
  return { terms, starts: [...new Set(starts)] };
}

/** The first characters of a term, as many as the index knows. */
export function startOf(term: string, length = START_LENGTH): string {
  return Array.from(term.slice(0, 2 * length))
    .slice(0, length)
    .join('');
}

export function toPerson(document: PersonDocument): Person {
  return deepFreeze({
    id: document._id,
    email: document.email,
    name: document.name,
    created_at: document.created_at.toISOString(),
  });
}
