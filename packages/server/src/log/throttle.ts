/** Creates a check that returns true at most once per `intervalMs`, to limit repeated log lines. */
export function createThrottle(intervalMs: number): () => boolean {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now < nextAt) return false;
    nextAt = now + intervalMs;
    return true;
  };
}
