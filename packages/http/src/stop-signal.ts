/** Resolves with the first signal that asks this process to stop: SIGTERM of a supervisor, or SIGINT of a terminal. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}
