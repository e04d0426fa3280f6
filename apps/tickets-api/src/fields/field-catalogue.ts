import { type Catalogue, createCatalogue } from '../definitions/catalogue.ts';
import { createFieldSet, type FieldSet } from './field-set.ts';
import type { FieldStore } from './field-store.ts';

/** The definitions of custom fields as this process knows them. */
export type FieldCatalogue = Catalogue<FieldSet>;

/** They see every definition. */
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
