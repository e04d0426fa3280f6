/** Work that commits queue and readers settle. */
export interface QueuedWork {
  /** Whether any is queued; a cheap query. */
  isQueued(key: string): Promise<boolean>;
  /** Settles everything that is queued when it starts. */
  settle(key: string): Promise<void>;
}

/**
 * Creates a function that resolves when everything queued before the call is settled, by this process or another.
 * Concurrent calls share one run, but none that started before them.
 */
export function createSettler({ isQueued, settle }: QueuedWork): (key: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();

  function start(key: string): Promise<void> {
    const run = settle(key).finally(() => running.delete(key));
    running.set(key, run);
    return run;
  }

  return async (key) => {
    if (!(await isQueued(key))) return;
    const earlier = running.get(key);
    if (earlier) {
      await earlier.catch(() => undefined);
      if (!(await isQueued(key))) return;
    }
    await (running.get(key) ?? start(key));
  };
}
