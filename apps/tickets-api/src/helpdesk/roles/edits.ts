import { z } from 'zod';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import { createInputParser } from '../../wire/input/input.ts';
import { patchMembers } from '../../wire/input/merge-patch.ts';
import type { JsonObject } from '../../wire/schema/json-object.ts';
import { createReadOnly } from '../../wire/schema/read-only.ts';
import { roles } from '../people/person.ts';
import { defaultRights, optionalRights, type Rights, rightNames } from './right.ts';
import { type RoleView, roleEditSchema } from './role.ts';

/** Computes the requested rights from the current role. */
export type ToRights = (current: RoleView) => Rights;

type RoleEdit = z.output<typeof roleEditSchema>;

const readOnly = createReadOnly<RoleView>({
  what: 'role',
  immutable: ['id', 'created_at'],
  serverManaged: ['optional_rights'],
});

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export const parseRoleEdit = createInputParser(roleEditSchema);

const contentParsers = Object.fromEntries(
  roles.map((role) => [role, createInputParser(createContentSchema(defaultRights[role]))]),
);

/**
 * Returns the rights that a `PUT` requests; without `rights` they stay.
 *
 * @throws {AppError} `precondition_failed` for an outdated copy, `validation_failed` for a read-only member or a fixed
 * right
 */
export function toRights(current: RoleView, edit: RoleEdit): Rights {
  const written = readOnly.checkAndPick(current, edit);
  return requireOptional(current, { ...current.rights, ...(written.rights as Rights | undefined) });
}

/**
 * Returns the rights that a merge patch requests; null resets a right to its default. @throws {AppError} as `toRights`
 */
export function toPatchedRights(current: RoleView, patch: JsonObject): Rights {
  const written = readOnly.checkAndPick(current, patch);
  const value = patchMembers({ rights: current.rights }, written);
  const content = contentParsers[current.id]?.({ format: 'json', value }) as { rights: Rights };
  return requireOptional(current, content.rights);
}

/** The rights with the defaults of a role, to which null takes them back. */
function createContentSchema(defaults: Rights) {
  const shape = Object.fromEntries(rightNames.map((name) => [name, z.boolean().default(defaults[name])]));
  return z.strictObject({ rights: z.strictObject(shape).default(defaults) });
}

/** @throws {AppError} `validation_failed`, naming every fixed right that is to be different */
function requireOptional({ id, rights }: RoleView, next: Rights): Rights {
  const refused = rightNames.filter(
    (name) => next[name] !== rights[name] && !optionalRights[id].includes(name),
  );
  if (refused.length === 0) return next;
  const errors = refused.map((name) => ({
    field: `rights.${name}`,
    code: 'invalid_value',
    message: `must be ${rights[name]}: this right of the role ${id} is fixed`,
  }));
  throw invalidData(errors);
}
