/** The number of members of a list. */
export interface Total {
  total: number;
  /** `false`: there may be more. */
  isExact: boolean;
}

const COUNTED_AT_MOST = 10_000;

/** Counts the members of a list up to 10,000. @param count counts up to a limit */
export async function countMembers(count: (limit: number) => Promise<number>): Promise<Total> {
  const found = await count(COUNTED_AT_MOST + 1);
  return { total: Math.min(found, COUNTED_AT_MOST), isExact: found <= COUNTED_AT_MOST };
}
