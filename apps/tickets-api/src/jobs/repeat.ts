/** Something that is done again and again until it is stopped. */
export interface Repetition {
  /** Resolves when the run in progress, if any, has ended; none follows. */
  stop(): Promise<void>;
}

/** Runs a task now, and again `intervalSeconds` after each end. The task never rejects; its signal is aborted by `stop`. */
export function repeat(task: (signal: AbortSignal) => Promise<void>, intervalSeconds: number): Repetition {
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
