/** Number of members of a list. */
export interface Total {
  total: number;
  /** `false` if there may be more. */
  isExact: boolean;
}

const MAX_COUNT = 10_000;

/** Counts the members of a list, up to 10,000. @param count counts up to a limit */
export async function countMembers(count: (limit: number) => Promise<number>): Promise<Total> {
  const found = await count(MAX_COUNT + 1);
  return { total: Math.min(found, MAX_COUNT), isExact: found <= MAX_COUNT };
}
