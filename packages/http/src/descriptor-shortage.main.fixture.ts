import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { createLogger, createMetrics, listen } from './index.ts';

/** Serves on two ports, for requests and for metrics. SIGUSR2 takes all descriptors that are left, or returns them. */
const log = createLogger({ name: 'shortage', level: 'info', isPretty: false });
const metrics = createMetrics();
const local = { host: '127.0.0.1', port: 0 };
const served = await metrics.serve(local);
const server = await listen((_, response) => response.end('ok'), { ...local, refusals: { log, metrics } });
const taken: number[] = [];

process.on('SIGUSR2', () => {
  if (taken.length > 0) {
    for (const descriptor of taken.splice(0)) closeSync(descriptor);
    return;
  }
  try {
    for (;;) taken.push(openSync(devNull, 'r'));
  } catch {
    // None is left.
  }
});
log.info({ url: server.url, metrics_url: served.url }, 'listening');
