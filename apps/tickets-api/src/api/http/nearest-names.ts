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
 * Finds the known parameters that a client may have meant by an unknown name. Tries in order: the same field with another
 * operator, a field that the name begins with, fields that begin with the name, fields one or two typos away, and
 * names used by other APIs.
 */
export function findNearestNames(name: string, known: readonly string[]): readonly string[] {
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
