/** Runs a task repeatedly, `intervalMs` after the previous run ended, until it is stopped. */
export function repeat(task: () => Promise<void>, intervalMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = task().finally(schedule);
    }, intervalMs);
    timer.unref();
  }

  schedule();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
