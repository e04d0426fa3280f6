import { z } from 'zod';
import { decodeOpaque, encodeOpaque } from '../http/opaque.ts';
import { invalidCursor } from '../http/query-parameters.ts';
import type { Person } from './person.ts';

const cursorSchema = z.tuple([z.string().min(1), z.string()]);

/** An opaque position in the list of people: behind the last of these, with the same search. */
export function encodePeopleCursor(people: readonly Person[], prefix = ''): string | null {
  const last = people.at(-1);
  return last ? encodeOpaque([last.email, prefix]) : null;
}

/** @throws {AppError} `validation_failed` when it is no cursor of this list */
export function decodePeopleCursor(cursor: string, prefix = ''): string {
  const parsed = cursorSchema.safeParse(decodeOpaque(cursor));
  if (!parsed.success || parsed.data[1] !== prefix) throw invalidCursor();
  return parsed.data[0];
}
