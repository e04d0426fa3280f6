import { type Body, createInputParser } from '../../wire/input.ts';
import type { JsonObject } from '../../wire/json-object.ts';
import { patchMembers } from '../../wire/merge-patch.ts';
import { createReadOnly } from '../../wire/read-only.ts';
import { pickDifferent } from '../tickets/permissions.ts';
import {
  type Person,
  type PersonContent,
  type PersonEdit,
  personContentSchema,
  personEditSchema,
} from './person.ts';

/** Computes the requested changes from the current person. */
export type ToPersonChanges = (current: Person) => Partial<PersonContent>;

const readOnly = createReadOnly<Person>({
  what: 'person',
  immutable: ['id', 'created_at'],
  serverManaged: ['email', 'addresses', 'role'],
});

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export const parsePersonEdit: (body: Body) => PersonEdit = createInputParser(personEditSchema);

const parseContent = createInputParser(personContentSchema);

/**
 * Returns the changes that a `PUT` requests. @throws {AppError} `precondition_failed`, `validation_failed` for a
 * read-only member
 */
export function toPersonChanges(current: Person, edit: PersonEdit): Partial<PersonContent> {
  const { read, written } = readOnly.split(edit);
  readOnly.check(current, read);
  return pickDifferent(written as Partial<PersonContent>, current);
}

/**
 * Returns the changes that a merge patch requests (RFC 7396); null removes a value. @throws {AppError} as
 * `toPersonChanges`
 */
export function toPatchedPersonChanges(current: Person, patch: JsonObject): Partial<PersonContent> {
  const { read, written } = readOnly.split(patch);
  readOnly.check(current, read);
  const value = patchMembers(readOnly.split(current).written, written);
  return pickDifferent(parseContent({ format: 'json', value }), current);
}
