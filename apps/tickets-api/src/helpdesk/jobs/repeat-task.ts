/** Task that runs periodically until it is stopped. */
export interface RepeatingTask {
  /** Resolves when the current run, if any, has ended; no further run starts. */
  stop(): Promise<void>;
}

/** Runs a task now, and again `intervalSeconds` after each run ends. The task never rejects; `stop` aborts its signal. */
export function repeatTask(
  task: (signal: AbortSignal) => Promise<void>,
  intervalSeconds: number,
): RepeatingTask {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (signal.aborted) return;
    timer = setTimeout(() => {
      running = task(signal).finally(schedule);
    }, intervalSeconds * 1000);
    timer.unref();
  }

  let running = task(signal).finally(schedule);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
