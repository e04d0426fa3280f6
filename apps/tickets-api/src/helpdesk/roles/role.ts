import { z } from 'zod';
import { timestamp } from '../../wire/timestamp.ts';
import { withEtag } from '../../wire/with-etag.ts';
import { type Role, roles } from '../people/person.ts';
import { defaultRights, type Rights, rightNames, rightsSchema } from './right.ts';

/** A role in every format. */
export const roleSchema = z.strictObject({
  id: z.enum(roles).meta({ readOnly: true, description: 'The `role` of people and machines; never changes' }),
  rights: rightsSchema.describe('Whether the role has each right'),
  optional_rights: z.array(z.enum(rightNames)).meta({
    readOnly: true,
    item: 'right',
    description: 'The rights that can be changed; the others are fixed',
  }),
  created_at: timestamp.meta({ readOnly: true, description: 'Time since when there is the role' }),
  updated_at: timestamp.meta({ readOnly: true, description: 'Time of the last change' }),
  version: z.int().min(1).meta({ readOnly: true, description: 'Counts its changes from 1' }),
});

/** A role as it is sent. */
export type RoleView = Readonly<z.output<typeof roleSchema>>;

/** Body of `PUT`: the rights, and read-only members with their current values. */
export const roleEditSchema = withEtag(roleSchema).partial();

/** Stored role with its rights. Frozen. */
export type RoleRecord = Readonly<Omit<RoleView, 'optional_rights'>>;

/** Creation time of roles. */
const at = '2026-01-01T00:00:00.000Z';

/** Creates the initial state of a role. */
export function createDefaultRole(id: Role): RoleRecord {
  const rights: Rights = defaultRights[id];
  return Object.freeze({ id, rights, created_at: at, updated_at: at, version: 1 });
}
