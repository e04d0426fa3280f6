/** Largest tolerated clock difference between processes; the check of access tokens tolerates the same. */
const MAX_SKEW_MS = 5_000;

/**
 * Returns the time of a change in RFC 3339 UTC: now, but never before the previous change. Small clock differences
 * between processes therefore never set it back. A previous time further ahead comes from a wrong clock, and this
 * change corrects it. The result is never before the creation, because lists rely on `created_at <= updated_at`.
 */
export function toChangeTime(previous: string, { createdAt, now }: { createdAt: string; now: Date }): string {
  const isAhead = Date.parse(previous) - now.getTime() > MAX_SKEW_MS;
  return latest(isAhead ? createdAt : previous, now.toISOString());
}

function latest(one: string, another: string): string {
  return one < another ? another : one;
}
