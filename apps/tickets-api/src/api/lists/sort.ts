import { oneOf } from '../http/query-parameters.ts';

/** Order of a list by one field. */
export interface Sort<Field extends string> {
  field: Field;
  direction: 'asc' | 'desc';
}

/** Description of `sort` for lists ordered by time. */
export const byTime = '`-created_at` returns the latest first; ties are broken by id';

/** Returns the sort keys of fields, each in both directions. */
export function toSortKeys<Field extends string>(fields: readonly Field[]): readonly (Field | `-${Field}`)[] {
  return fields.flatMap((field) => [field, `-${field}`] as const);
}

/** Creates the parameter `sort` of a list. @param about addition to its description */
export function sortParameter<Field extends string>(
  fields: readonly Field[],
  initial: NoInfer<Field | `-${Field}`>,
  about: string,
) {
  const keys: readonly string[] = toSortKeys(fields);
  return oneOf(keys).default(initial).describe(describeSort(about));
}

/** Returns the description of `sort`, which begins the same on every list. */
export function describeSort(about: string): string {
  return `Sort key; a leading \`-\` reverses the order; ${about}`;
}

/** Parses a sort key. */
export function toSort<Field extends string>(key: Field | `-${Field}`): Sort<Field> {
  const isReversed = key.startsWith('-');
  return { field: (isReversed ? key.slice(1) : key) as Field, direction: isReversed ? 'desc' : 'asc' };
}
