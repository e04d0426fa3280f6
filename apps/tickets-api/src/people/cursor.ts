import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import { invalidCursor } from '../http/query-parameters.ts';
import { type Person, toPlace } from './person.ts';
import type { PersonQuery } from './person-store.ts';

const cursorSchema = z.tuple([z.string().min(1), z.string()]);

/** What the list is of, beside its pages. */
type Search = Pick<PersonQuery, 'prefix' | 'roles'>;

/** An opaque position in the list of people: behind the last of these, with the same search. */
export function encodePeopleCursor(people: readonly Person[], search: Search): string | null {
  const last = people.at(-1);
  return last ? encodeOpaque([toPlace(last), toText(search)]) : null;
}

/** @throws {AppError} `validation_failed` when it is no cursor of this list */
export function decodePeopleCursor(cursor: string, search: Search): string {
  const parsed = cursorSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success || parsed.data[1] !== toText(search)) throw invalidCursor();
  return parsed.data[0];
}

function toText({ prefix = '', roles = [] }: Search): string {
  return [...[...roles].sort(), prefix].join(' ');
}
