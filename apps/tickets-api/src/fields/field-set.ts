import type { TicketField } from './ticket-field.ts';

/** The definitions of custom fields, as they were at one moment. */
export interface FieldSet {
  /** In order of position, then of key. */
  readonly definitions: readonly TicketField[];
  /** `undefined`: the field is free-form. */
  find(key: string): TicketField | undefined;
  /** Whether customers see values under this key; never without a definition. */
  isVisible(key: string): boolean;
  /** Whether customers may set it. */
  isEditable(key: string): boolean;
  /** The same for two sets when customers see the same keys. */
  readonly visibleKeys: string;
}

export function createFieldSet(definitions: readonly TicketField[]): FieldSet {
  const ordered = definitions.toSorted(
    (one, other) => one.position - other.position || (one.key < other.key ? -1 : 1),
  );
  const byKey = new Map(ordered.map((field) => [field.key, field]));
  const isVisible = (key: string) => byKey.get(key)?.visible_to_customers === true;
  return Object.freeze({
    definitions: Object.freeze(ordered),
    find: (key: string) => byKey.get(key),
    isVisible,
    isEditable: (key: string) => isVisible(key) && byKey.get(key)?.editable_by_customers === true,
    visibleKeys: [...byKey.keys()].filter(isVisible).sort().join(),
  });
}

/** Nothing is defined: every field is free-form, and no customer sees any. */
export const noFields: FieldSet = createFieldSet([]);
