import { createLogger, listen, runInWorkers, serveUntilStopped } from '@keydesk/server';
import { countForWorkers } from './count-for-workers.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { createReplayGuard } from './replay-guard.ts';

// Two workers on the given port without Redis. GET /consume, /refund and /first-use respond with the result.
const [port = ''] = process.argv.slice(2);
const openLog = () => createLogger({ name: 'limited', level: 'info', isPretty: false });
const options = { workers: 2, drainSeconds: 0, host: '127.0.0.1', metricsPort: undefined };

await runInWorkers(run, { ...options, openLog, prepare: countForWorkers });

async function run(): Promise<void> {
  const limiter = createRateLimiter({ keyPrefix: 'test', points: 20, durationSeconds: 600 });
  const guard = createReplayGuard({ keyPrefix: 'proofs' });
  const operations: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    '/consume': limiter.consume,
    '/refund': limiter.refund,
    '/first-use': (key) => guard.firstUse(key, 600),
  };
  const server = await listen(
    async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const result = await operations[pathname]?.(searchParams.get('key') ?? '');
      response.setHeader('X-Process', process.pid).end(JSON.stringify(result ?? null));
    },
    { host: options.host, port: Number(port) },
  );
  const log = openLog();
  log.info({ url: server.url }, 'listening');
  await serveUntilStopped([server], { drainSeconds: 0, log });
  await server.close();
}
