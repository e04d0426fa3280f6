const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** A worker that ran for so long was healthy, so that its crash is not the sequel of an earlier one. */
const HEALTHY_MS = 60_000;

/** Consecutive crashes of a worker and its predecessors. */
export function countCrashes(earlier: number, ranForMs: number): number {
  return ranForMs >= HEALTHY_MS ? 1 : earlier + 1;
}

/** Returns the delay before the worker is started again: 100 ms, doubled by each consecutive crash, at most 30 s. */
export function toDelayMs(crashes: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (crashes - 1));
}
