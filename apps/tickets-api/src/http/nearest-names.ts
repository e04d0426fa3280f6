/** Names that other APIs have for what a list of this one calls otherwise. */
const usualNames: ReadonlyMap<string, string> = new Map([
  ['page', 'cursor'],
  ['offset', 'cursor'],
  ['per_page', 'limit'],
  ['page_size', 'limit'],
  ['order', 'sort'],
  ['order_by', 'sort'],
  ['search', 'q'],
  ['query', 'q'],
]);
/** Longer names are no slips of the keyboard, and cost time to compare. */
const MAX_LENGTH = 64;
/** Shorter names are near to too many. */
const MIN_LENGTH = 3;
const MAX_NEAREST = 8;

/**
 * Finds the known parameters that a client may have meant by an unknown name: those of the same field with another
 * operator; else those that the name begins with, or that begin with it; else those that are a slip or two away; else
 * what other APIs call so.
 */
export function findNearest(name: string, known: readonly string[]): readonly string[] {
  const given = fieldOf(toSnakeCase(name));
  if (given === '' || name.length > MAX_LENGTH) return [];
  const fields = [...new Set(known.map(fieldOf))].toSorted((one, other) => other.length - one.length);
  const beginning = fields.find((field) => isBeginning(field, given));
  const rules = [
    (field: string) => field === given,
    (field: string) => field === beginning,
    (field: string) => isBeginning(given, field),
    (field: string) => isSlip(given, field),
    (field: string) => field === usualNames.get(given),
  ];
  for (const rule of rules) {
    const [first, ...others] = fields.filter(rule);
    if (first === undefined) continue;
    const names = others.length > 0 ? [first, ...others] : known.filter((each) => fieldOf(each) === first);
    return names.slice(0, MAX_NEAREST);
  }
  return [];
}

/** The name without an operator; of a form of names without the part that is data. */
function fieldOf(name: string): string {
  return name.replace(/\[.*$/s, '').replace(/NAME$/, '');
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
}

/** Whether a name of some length continues with the rest of the other. */
function isBeginning(short: string, long: string): boolean {
  return short.length >= MIN_LENGTH && long.startsWith(short);
}

/** Whether two names of some length differ by one slip, or by two if they are longer. */
function isSlip(one: string, other: string): boolean {
  if (one.length < MIN_LENGTH) return false;
  const most = Math.min(one.length, other.length) < 5 ? 1 : 2;
  return Math.abs(one.length - other.length) <= most && distance(one, other) <= most;
}

/**
 * The number of characters to insert, remove, replace or swap with their neighbour that make one name the other (the
 * restricted edit distance of Damerau and Levenshtein).
 */
function distance(one: string, other: string): number {
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
