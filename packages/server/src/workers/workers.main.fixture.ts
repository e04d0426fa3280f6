import { readFileSync } from 'node:fs';
import { createLogger, createMetrics, listen, runInWorkers, serveUntilStopped } from '../index.ts';

// A program with workers and metrics on the next port. Arguments: port, number of workers, file with the text that it responds.
const [port = '', workers = '', file = ''] = process.argv.slice(2);
const openLog = () => createLogger({ name: 'fixture', level: 'info', isPretty: false });

const [host, metricsPort] = ['127.0.0.1', Number(port) + 1];
await runInWorkers(run, { workers: Number(workers), drainSeconds: 1, openLog, host, metricsPort });

async function run(): Promise<void> {
  const text = readFileSync(file, 'utf8');
  if (text === 'broken') {
    process.stderr.write('The fixture cannot start.\n');
    process.exitCode = 1;
    return;
  }
  const metrics = createMetrics();
  const published = await metrics.publish({ host, port: metricsPort });
  const requests = metrics.counter('fixture_requests_total', 'Requests', []);
  const server = await listen(
    (request, response) => {
      requests.inc();
      if (request.url === '/crash') process.kill(process.pid, 'SIGKILL');
      else response.setHeader('X-Process', process.pid).end(text);
    },
    { host: '127.0.0.1', port: Number(port) },
  );
  await serveUntilStopped([server], { drainSeconds: 1, log: openLog() });
  await server.close();
  await published.close();
}
