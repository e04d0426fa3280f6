import { z } from 'zod';
import { type Role, roles } from '../people/person.ts';

const flag = z.boolean();

/** Rights that are data: administrators grant and withdraw them by role. */
export const rightsSchema = z
  .strictObject({
    solve_tickets: flag.describe('Set a status of the category `solved` on tickets that they requested'),
    reopen_tickets: flag.describe('Reply to a solved ticket without a `status`, which opens it again'),
    set_priority: flag.describe('Set the `priority` of tickets that they request, on creation and later'),
    purge_tickets: flag.describe('Delete tickets for good'),
    export_events: flag.describe('Read the events of all tickets and definitions'),
  })
  .meta({ title: 'RoleRights' });

export type Rights = Readonly<z.output<typeof rightsSchema>>;
export type Right = keyof Rights;

export const rightNames = Object.keys(rightsSchema.shape) as readonly Right[];

/** Beside a `forbidden` problem: the rights that the role would need. */
export const missingRightsSchema = z.array(z.enum(rightNames)).meta({
  item: 'right',
  description: 'Beside `forbidden`: the rights that the role of the caller does not have',
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
