import { hash } from 'node:crypto';
import { type Role, roles } from '../people/person.ts';
import { defaultRights, type Rights } from './right.ts';
import { createDefaultRole, type RoleRecord } from './role.ts';

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
