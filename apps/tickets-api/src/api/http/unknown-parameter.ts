/** List as error texts name it. */
export interface ParameterOwner {
  /** Name of the list, such as `tickets`. */
  list: string;
  /** Id of the operation, which is its anchor in the API reference. */
  operation: string;
  /** Replacements for parameters that clients expect, such as `since` instead of `cursor`. */
  instead?: Readonly<Record<string, string>>;
}

/** Parameters that have the same meaning on every list that offers them. */
export const commonParameters = ['limit', 'cursor', 'sort', 'fields', 'total'] as const;

/** With more parameters than this, the error text links to the reference instead of listing them. */
const MAX_LISTED = 12;

/**
 * Builds the error text for an unknown parameter, with what to send instead.
 *
 * @param known names of the known parameters, and patterns of names that are data
 */
export function describeUnknown(name: string, known: readonly string[], owner?: ParameterOwner): string {
  const see = owner && `see /docs#${owner.operation}`;
  const [, instead] = Object.entries(owner?.instead ?? {}).find(([each]) => each === name) ?? [];
  if (owner && (instead || commonParameters.some((each) => each === name))) {
    return `is not offered for ${owner.list}; ${instead ? `send ${instead}` : see}`;
  }
  const nearest = findNearestNames(name, known);
  if (nearest.length > 0) {
    const question = `is not a known parameter; did you mean ${toChoice(nearest)}?`;
    return see ? `${question} Otherwise ${see}` : question;
  }
  if (see && known.length > MAX_LISTED) return `is not a known parameter; ${see}`;
  return `is not a known parameter; known: ${known.join(', ') || 'none'}`;
}

function toChoice(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]+)$/, ' or $1');
}

/** Names that other APIs use for parameters of this one. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['page', 'cursor'],
  ['offset', 'cursor'],
  ['per_page', 'limit'],
  ['page_size', 'limit'],
  ['order', 'sort'],
  ['order_by', 'sort'],
  ['search', 'q'],
  ['query', 'q'],
]);
/** Longer names are not typos and are slow to compare. */
const MAX_LENGTH = 64;
/** Shorter names are close to too many others. */
const MIN_LENGTH = 3;
const MAX_NEAREST = 8;

/**
 * Finds the known parameters that a client may have meant by an unknown name. Tries in order: the same field with
 * another operator, a field that the name begins with, fields that begin with the name, fields one or two typos away,
 * and names used by other APIs.
 */
function findNearestNames(name: string, known: readonly string[]): readonly string[] {
  const given = fieldOf(toSnakeCase(name));
  if (given === '' || name.length > MAX_LENGTH) return [];
  const fields = [...new Set(known.map(fieldOf))].toSorted((one, other) => other.length - one.length);
  const prefix = fields.find((field) => isPrefix(field, given));
  const rules = [
    (field: string) => field === given,
    (field: string) => field === prefix,
    (field: string) => isPrefix(given, field),
    (field: string) => isTypo(given, field),
    (field: string) => field === aliases.get(given),
  ];
  for (const rule of rules) {
    const [first, ...others] = fields.filter(rule);
    if (first === undefined) continue;
    const names = others.length > 0 ? [first, ...others] : known.filter((each) => fieldOf(each) === first);
    return names.slice(0, MAX_NEAREST);
  }
  return [];
}

/** Strips the operator, or the variable part of a name pattern such as `custom_fields.NAME`. */
function fieldOf(name: string): string {
  return name.replace(/\[.*$/s, '').replace(/NAME$/, '');
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
}

/** Whether the long name begins with the short one, which must have a minimum length. */
function isPrefix(short: string, long: string): boolean {
  return short.length >= MIN_LENGTH && long.startsWith(short);
}

/** Whether two names differ by one typo, or by at most two if both have five characters or more. */
function isTypo(one: string, other: string): boolean {
  if (one.length < MIN_LENGTH) return false;
  const max = Math.min(one.length, other.length) < 5 ? 1 : 2;
  return Math.abs(one.length - other.length) <= max && editDistance(one, other) <= max;
}

/**
 * Edit distance of two names: insertions, deletions, replacements and swaps of neighbours (optimal string alignment, a
 * restricted Damerau–Levenshtein distance).
 */
function editDistance(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const costs = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1)];
      row.push(Math.min(...costs, ...(isSwapped ? [at(before, j - 2) + 1] : [])));
    }
    [before, last] = [last, row];
  }
  return at(last, other.length);
}

function at(row: readonly number[], i: number): number {
  return row[i] ?? Number.POSITIVE_INFINITY;
}
