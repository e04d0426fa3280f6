/** Task that runs periodically until it is stopped. */
export interface RepeatingTask {
  /** Aborts the signal of the task and resolves when its current run, if any, has ended; no further run starts. */
  stop(): Promise<void>;
}

/** Times of a repeating task, in milliseconds. */
export interface RepeatOptions {
  /** Pause between the end of a run and the start of the next. */
  intervalMs: number;
  /** Delay of the first run. Default: `intervalMs`. */
  delayMs?: number;
}

/** Runs a task, which never rejects, repeatedly. It does not keep the process running. */
export function repeatTask(
  task: (signal: AbortSignal) => Promise<void>,
  { intervalMs, delayMs = intervalMs }: RepeatOptions,
): RepeatingTask {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

  function schedule(ms: number): void {
    if (signal.aborted) return;
    timer = setTimeout(() => {
      running = task(signal).finally(() => schedule(intervalMs));
    }, ms);
    timer.unref();
  }

  schedule(delayMs);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
