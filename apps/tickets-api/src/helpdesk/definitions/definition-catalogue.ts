import { type Catalogue, createCatalogue } from './catalogue.ts';
import { createDefinitionSet, type DefinitionSet } from './definition-set.ts';
import type { DefinitionStore } from './definition-store.ts';

/** Cache of the statuses, types and priorities. */
export type DefinitionCatalogue = Catalogue<DefinitionSet>;

export interface DefinitionCatalogueDeps {
  store: Pick<DefinitionStore, 'list'>;
  now: () => Date;
}

export function createDefinitionCatalogue({ store, now }: DefinitionCatalogueDeps): DefinitionCatalogue {
  return createCatalogue({
    read: async () => createDefinitionSet(await store.list()),
    tagOf: ({ tag }) => tag,
    now,
  });
}
