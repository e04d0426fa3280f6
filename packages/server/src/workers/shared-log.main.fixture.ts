import { createLogger, runInWorkers, serveUntilStopped } from '../index.ts';

// Two workers that each log 4,000 lines to the same standard output and then stop.
const openLog = () => createLogger({ name: 'fixture', level: 'info', isPretty: false });
const options = { workers: 2, drainSeconds: 0, host: '127.0.0.1', metricsPort: undefined };

await runInWorkers(run, { ...options, openLog });

async function run(): Promise<void> {
  const log = openLog();
  for (let line = 0; line < 4_000; line++) {
    log.info({ line, text: 'x'.repeat(line % 900) }, 'a line');
    if (line % 100 === 0) await new Promise(setImmediate);
  }
  await serveUntilStopped([], { drainSeconds: 0, log });
}
