/** Clocks of processes that differ by more are wrong, as they are for access tokens. */
const MAX_SKEW_MS = 5_000;

/**
 * The time of a change, as RFC 3339 in UTC: now, but not before the previous change, so that small differences between
 * the clocks of processes never turn it back. A previous time further ahead was written by a wrong clock, and this
 * change corrects it. Creation is the earliest: lists rely on `created_at <= updated_at`, and `created_at` never changes.
 */
export function toChangeTime(previous: string, { createdAt, now }: { createdAt: string; now: Date }): string {
  const isAhead = Date.parse(previous) - now.getTime() > MAX_SKEW_MS;
  return latest(isAhead ? createdAt : previous, now.toISOString());
}

function latest(one: string, another: string): string {
  return one < another ? another : one;
}
