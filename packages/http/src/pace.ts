/** Returns whether something may be logged: `true`, and then `false` until `intervalMs` have passed. */
export function createPace(intervalMs: number): () => boolean {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now < nextAt) return false;
    nextAt = now + intervalMs;
    return true;
  };
}
