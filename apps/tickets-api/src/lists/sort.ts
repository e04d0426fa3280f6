import { oneOf } from '../http/query-parameters.ts';

/** The order of a list by one of its fields. */
export interface Sort<Field extends string> {
  field: Field;
  direction: 'asc' | 'desc';
}

/** The description of lists in order of time alone. */
export const byTime = 'with it the latest come first; ties are broken by id';

/** The keys of the parameter `sort` of a list with these orders, each in both directions. */
export function toSortKeys<Field extends string>(fields: readonly Field[]): readonly (Field | `-${Field}`)[] {
  return fields.flatMap((field) => [field, `-${field}`] as const);
}

/** The parameter `sort` of a list with these orders. @param about what is special about the orders of this list */
export function sortParameter<Field extends string>(
  fields: readonly Field[],
  initial: NoInfer<Field | `-${Field}`>,
  about: string,
) {
  const keys: readonly string[] = toSortKeys(fields);
  return oneOf(keys).default(initial).describe(describeSort(about));
}

/** The description of `sort`, which begins alike on every list. */
export function describeSort(about: string): string {
  return `The order of the list; \`-\` before a key reverses it; ${about}`;
}

/** The order that a key stands for. */
export function toSort<Field extends string>(key: Field | `-${Field}`): Sort<Field> {
  const isReversed = key.startsWith('-');
  return { field: (isReversed ? key.slice(1) : key) as Field, direction: isReversed ? 'desc' : 'asc' };
}
