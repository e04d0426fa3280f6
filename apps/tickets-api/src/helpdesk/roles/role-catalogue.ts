import { type Catalogue, createCatalogue } from '../definitions/catalogue.ts';
import { createRoleSet, type RoleSet } from './role-set.ts';
import type { RoleStore } from './role-store.ts';

/** Cache of the roles with their rights. */
export type RoleCatalogue = Catalogue<RoleSet>;

export interface RoleCatalogueDeps {
  store: Pick<RoleStore, 'list'>;
  now: () => Date;
}

export function createRoleCatalogue({ store, now }: RoleCatalogueDeps): RoleCatalogue {
  return createCatalogue({
    read: async () => createRoleSet(await store.list()),
    tagOf: ({ tag }) => tag,
    now,
  });
}
