import { hash } from 'node:crypto';
import { z } from 'zod';
import { versionShape, withEtag } from '../../wire/schema/read-only.ts';
import { timestamp } from '../../wire/schema/scalars.ts';
import { type Role, roles } from '../people/person.ts';
import { defaultRights, type Rights, rightNames, rightsSchema } from './right.ts';

/** A role in every format. */
export const roleSchema = z.strictObject({
  id: z.enum(roles).meta({ readOnly: true, description: 'Role of people and machines; never changes' }),
  rights: rightsSchema.describe('Whether the role has each right'),
  optional_rights: z.array(z.enum(rightNames)).meta({
    readOnly: true,
    item: 'right',
    description: 'Rights that can be changed; the others are fixed',
  }),
  created_at: timestamp.meta({ readOnly: true, description: 'Time of creation' }),
  ...versionShape,
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

/** Snapshot of the roles. */
export interface RoleSet {
  readonly all: readonly RoleRecord[];
  get(id: Role): RoleRecord;
  /** Tag that is equal for sets of the same versions. */
  readonly tag: string;
}

/** @param stored the roles that were changed */
export function createRoleSet(stored: readonly RoleRecord[]): RoleSet {
  const byId = new Map(stored.map((role) => [role.id, role]));
  const get = (id: Role) => withNewRights(byId.get(id) ?? createDefaultRole(id));
  const all = roles.map(get);
  return Object.freeze({
    all,
    get: (id: Role) => all.find((each) => each.id === id) ?? get(id),
    tag: hash('sha1', all.map(({ id, version }) => `${id} ${version}`).join(), 'base64url'),
  });
}

/** Returns the role with the defaults of rights that it was stored without. */
function withNewRights(role: RoleRecord): RoleRecord {
  const rights: Rights = { ...defaultRights[role.id], ...role.rights };
  return Object.freeze({ ...role, rights: Object.freeze(rights) });
}
