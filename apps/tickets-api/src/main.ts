import { toDrainSeconds } from '@keydesk/config';
import { countForWorkers } from '@keydesk/rate-limit/count-for-workers';
import { createLogger } from '@keydesk/server/logger';
import { runInWorkers } from '@keydesk/server/workers';
import { loadApiConfig } from './config.ts';
import type { OpenLog } from './serve.ts';

// A primary with workers serves no requests, so it loads neither the app nor its libraries.
try {
  const config = loadApiConfig(process.env);
  const isPretty = process.stdout.isTTY && config.mode !== 'production';
  const openLog: OpenLog = (readContext) =>
    createLogger({ name: 'tickets-api', level: config.logLevel, isPretty, readContext });
  async function run(): Promise<void> {
    const { serve } = await import('./serve.ts');
    await serve(config, openLog);
  }
  await runInWorkers(run, {
    ...config,
    drainSeconds: toDrainSeconds(config),
    openLog,
    prepare: countForWorkers,
  });
} catch (err) {
  process.stderr.write(`The helpdesk API cannot start: ${err instanceof Error ? err.message : err}\n`);
  process.exitCode = 1;
}
