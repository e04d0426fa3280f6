import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { createLogger, createMetrics, listen } from '../index.ts';

/** Serves requests and metrics on two ports. SIGUSR2 exhausts the file descriptors, or releases them. */
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
    // No descriptor is left.
  }
});
log.info({ url: server.url, metrics_url: served.url }, 'listening');
