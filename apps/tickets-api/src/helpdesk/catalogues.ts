import { createDefinitionSet, type DefinitionSet } from './definitions/definition-set.ts';
import type { DefinitionStore } from './definitions/definition-store.ts';
import { createFieldSet, type FieldSet } from './fields/field-set.ts';
import type { FieldStore } from './fields/field-store.ts';
import { createRoleSet, type RoleSet } from './roles/role.ts';
import type { RoleStore } from './roles/role-store.ts';

/** Cache of data that administrators change while the process runs. */
export interface Catalogue<Known> {
  /**
   * Returns a state that is at most one second old, whichever process changed it. Returns the same object while nothing
   * changes, so that callers can cache by it.
   */
  current(): Promise<Known>;
  /** Invalidates the cache. */
  invalidate(): void;
}

/** Cache of the definitions of custom fields. */
export type FieldCatalogue = Catalogue<FieldSet>;
/** Cache of the statuses, types and priorities. */
export type DefinitionCatalogue = Catalogue<DefinitionSet>;
/** Cache of the roles with their rights. */
export type RoleCatalogue = Catalogue<RoleSet>;

interface CatalogueDeps<Store> {
  store: Store;
  now: () => Date;
}

export function createFieldCatalogue({
  store,
  now,
}: CatalogueDeps<Pick<FieldStore, 'list'>>): FieldCatalogue {
  return createCatalogue(async () => createFieldSet(await store.list()), now);
}

export function createDefinitionCatalogue({
  store,
  now,
}: CatalogueDeps<Pick<DefinitionStore, 'list'>>): DefinitionCatalogue {
  return createCatalogue(async () => createDefinitionSet(await store.list()), now);
}

export function createRoleCatalogue({ store, now }: CatalogueDeps<Pick<RoleStore, 'list'>>): RoleCatalogue {
  return createCatalogue(async () => createRoleSet(await store.list()), now);
}

const FRESH_MS = 1_000;

/** Creates a cache of states that have equal tags if they are equal. */
function createCatalogue<Known extends { readonly tag: string }>(
  load: () => Promise<Known>,
  now: () => Date,
): Catalogue<Known> {
  let known: Known | undefined;
  let loading: Promise<Known> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  async function refresh(): Promise<Known> {
    const [startedAt, startedIn] = [now().getTime(), generation];
    const loaded = await load();
    // A read that began before the cache was invalidated may return the earlier state.
    if (startedIn !== generation) return refresh();
    loadedAt = startedAt;
    if (known?.tag !== loaded.tag) known = loaded;
    return known;
  }

  function isFresh(): boolean {
    return Math.abs(now().getTime() - loadedAt) < FRESH_MS;
  }

  return {
    async current() {
      if (known && isFresh()) return known;
      loading ??= refresh().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    invalidate() {
      generation += 1;
      loadedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
