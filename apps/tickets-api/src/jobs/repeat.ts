/** Something that is done again and again until it is stopped. */
export interface Repetition {
  /** Resolves when the run in progress, if any, has ended; none follows. */
  stop(): Promise<void>;
}

/** Runs a task now, and again `intervalSeconds` after each end. The task never rejects. */
export function repeat(task: () => Promise<void>, intervalSeconds: number): Repetition {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = task().finally(schedule);
    }, intervalSeconds * 1000);
    timer.unref();
  }

  let running = task().finally(schedule);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
