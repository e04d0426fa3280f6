import { AppError, type FieldError } from '@keydesk/errors';
import { z } from 'zod';
import { type Role, roles } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';

const flag = z.boolean();

/** Rights that are data: administrators grant and withdraw them by role. */
export const rightsSchema = z
  .strictObject({
    solve_tickets: flag.describe('Set a status of the category `solved` on tickets that they requested'),
    reopen_tickets: flag.describe('Reply to a solved ticket without a `status`, which opens it again'),
    set_priority: flag.describe('Set the `priority` of tickets that they request, on creation and later'),
    purge_tickets: flag.describe('Delete tickets permanently'),
    export_events: flag.describe('Read the events of all tickets and definitions'),
  })
  .meta({ title: 'RoleRights' });

export type Rights = Readonly<z.output<typeof rightsSchema>>;
export type Right = keyof Rights;

export const rightNames = Object.keys(rightsSchema.shape) as readonly Right[];

/** Beside a `forbidden` problem: the rights that the role would need. */
export const missingRightsSchema = z.array(z.enum(rightNames)).meta({
  item: 'right',
  description: 'With `forbidden`: rights that the role of the caller lacks',
});

/** Rights that administrators change, by role. The other rights of a role are fixed. */
export const optionalRights: Readonly<Record<Role, readonly Right[]>> = {
  customer: ['solve_tickets', 'reopen_tickets', 'set_priority'],
  agent: ['purge_tickets', 'export_events'],
  admin: [],
};

const all: Rights = {
  solve_tickets: true,
  reopen_tickets: true,
  set_priority: true,
  purge_tickets: true,
  export_events: true,
};

/** Rights of a role until they are changed; its fixed rights always. */
export const defaultRights: Readonly<Record<Role, Rights>> = {
  customer: Object.freeze({ ...all, purge_tickets: false, export_events: false }),
  agent: Object.freeze({ ...all, purge_tickets: false }),
  admin: Object.freeze(all),
};

export function isRole(id: string): id is Role {
  return (roles as readonly string[]).includes(id);
}

/** Rejects a viewer whose role lacks a right. @throws {AppError} `forbidden`, naming the right */
export function assertRight(viewer: Pick<Viewer, 'role' | 'rights'>, right: Right, hint = ''): void {
  if (!viewer.rights[right])
    throw new AppError('forbidden', explain(viewer, right) + hint, withRights([right]));
}

/** Returns the error of a field that requires a right. */
export function toMissingRight(field: string, right: Right): FieldError {
  return { field, code: 'forbidden', message: `needs the right ${right}` };
}

/** Returns options of an error, with the rights as a member of the problem. */
export function withRights(rights: readonly Right[]): { extensions?: { missing_rights: readonly Right[] } } {
  return rights.length > 0 ? { extensions: { missing_rights: rights } } : {};
}

function explain({ role }: Pick<Viewer, 'role'>, right: Right): string {
  const isOptional = optionalRights[role].includes(right);
  const grant = isOptional ? `; an administrator can grant it at /role/${role}` : '';
  return `This needs the right ${right}, which your role, ${role}, does not have${grant}.`;
}
