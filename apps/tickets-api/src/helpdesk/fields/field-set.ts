import { hash } from 'node:crypto';
import type { TicketField } from './ticket-field.ts';

/** Snapshot of the definitions of custom fields. */
export interface FieldSet {
  /** Definitions, sorted by position, then by key. */
  readonly definitions: readonly TicketField[];
  /** Returns the definition of a field; `undefined` if the field is free-form. */
  find(key: string): TicketField | undefined;
  /** Whether customers see values under this key; never without a definition. */
  isVisible(key: string): boolean;
  /** Whether customers may set it. */
  isEditable(key: string): boolean;
  /** Tag that is equal for sets in which customers see the same keys. */
  readonly visibleKeys: string;
  /** Tag that is equal for sets of the same versions. */
  readonly tag: string;
  /** Returns a tag that is equal for sets in which staff, or customers, see the same versions. */
  tagFor(viewer: { isStaff: boolean }): string;
}

export function createFieldSet(definitions: readonly TicketField[]): FieldSet {
  const ordered = definitions.toSorted(
    (one, other) => one.position - other.position || (one.key < other.key ? -1 : 1),
  );
  const byKey = new Map(ordered.map((field) => [field.key, field]));
  const isVisible = (key: string) => byKey.get(key)?.visible_to_customers === true;
  const tags = { staff: toTag(ordered), customers: toTag(ordered.filter(({ key }) => isVisible(key))) };
  return Object.freeze({
    definitions: Object.freeze(ordered),
    find: (key: string) => byKey.get(key),
    isVisible,
    isEditable: (key: string) => isVisible(key) && byKey.get(key)?.editable_by_customers === true,
    tag: tags.staff,
    tagFor: ({ isStaff }: { isStaff: boolean }) => (isStaff ? tags.staff : tags.customers),
    visibleKeys: [...byKey.keys()].filter(isVisible).sort().join(),
  });
}

function toTag(definitions: readonly TicketField[]): string {
  const versions = definitions.map(({ id, version }) => `${id} ${version}`);
  return hash('sha1', versions.join(), 'base64url');
}

/** Set without definitions: every field is free-form, and customers see none. */
export const noFields: FieldSet = createFieldSet([]);
