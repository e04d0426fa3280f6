import { type Catalogue, createCatalogue } from '../definitions/catalogue.ts';
import { createFieldSet, type FieldSet } from './field-set.ts';
import type { FieldStore } from './field-store.ts';

/** Cache of the definitions of custom fields. */
export type FieldCatalogue = Catalogue<FieldSet>;

/** Staff see every definition. */
const staff = { isStaff: true };

export interface FieldCatalogueDeps {
  store: Pick<FieldStore, 'list'>;
  now: () => Date;
}

export function createFieldCatalogue({ store, now }: FieldCatalogueDeps): FieldCatalogue {
  return createCatalogue({
    read: async () => createFieldSet(await store.list()),
    tagOf: (fields) => fields.tagFor(staff),
    now,
  });
}
