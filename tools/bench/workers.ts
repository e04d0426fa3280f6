import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, readCommandLine, readCount, startLoad, startTestIssuer } from '@keydesk/testing';
import { startServer } from './processes.ts';

const usage = `Usage: npm run bench:workers -- [--workers 1,2,4] [--seconds 6] [--rounds 3] [--concurrency 32]

Creates and reads tickets of one SQLite file with different numbers of workers, in turn. Prints the best round of each,
and its ratio to one worker. The generator runs beside the servers, so that only ratios of one run are comparable.`;
const { values: options } = readCommandLine(usage, {
  options: {
    workers: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '32' },
  },
});
const seconds = readCount('--seconds', options.seconds);
const rounds = readCount('--rounds', options.rounds);
const concurrency = readCount('--concurrency', options.concurrency);
const counts = options.workers.split(',').map((count) => readCount('--workers', count));
const WARM_UP_SECONDS = 2;

interface Rates {
  writes: number;
  reads: number;
  /** Responses other than 2xx, and requests without a response. */
  failures: number;
}

const best = new Map<number, Rates>();
for (let round = 0; round < rounds; round++) {
  for (const workers of counts) {
    const rates = await measure(workers);
    const { writes = 0, reads = 0, failures = 0 } = best.get(workers) ?? {};
    best.set(workers, {
      writes: Math.max(writes, rates.writes),
      reads: Math.max(reads, rates.reads),
      failures: failures + rates.failures,
    });
  }
}
const { writes: writesOfOne = 0, reads: readsOfOne = 0 } = best.get(counts[0] ?? 1) ?? {};
console.log('workers  creations/s  ratio  reads/s  ratio  failed');
for (const [workers, { writes, reads, failures }] of best) {
  const [writeRatio, readRatio] = [writes / writesOfOne, reads / readsOfOne].map((ratio) => ratio.toFixed(2));
  console.log(
    `${workers}  ${writes.toFixed(0)}  ${writeRatio}  ${reads.toFixed(0)}  ${readRatio}  ${failures}`,
  );
}

/** Measures one program on a new file. */
async function measure(workers: number): Promise<Rates> {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-workers-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = await startTestIssuer({ audience: url });
  const server = await startServer('apps/tickets-api/src/main.ts', port, {
    WORKERS: String(workers),
    API_PORT: String(port),
    BASE_URL: url,
    ISSUER: issuer.issuer,
    STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
  });
  try {
    const token = issuer.token({ role: 'agent', scope: 'tickets:read tickets:write' });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ subject: 'Printer', description: 'It prints nothing since Monday.' });
    const writes = await rateOf(url, { path: '/tickets.json', method: 'POST', headers, body });
    const reads = await rateOf(url, { path: '/tickets.json?limit=10', headers });
    return { writes: writes.rate, reads: reads.rate, failures: writes.failures + reads.failures };
  } finally {
    await server.stop();
    await issuer.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Returns the successful requests per second after a warm-up. */
async function rateOf(url: string, sent: NonNullable<Parameters<typeof startLoad>[1]>) {
  const load = startLoad(url, { ...sent, concurrency, isReused: true });
  await sleep(WARM_UP_SECONDS * 1_000);
  const [before, startedAt] = [countIn(load.report()), performance.now()];
  await sleep(seconds * 1_000);
  const [after, endedAt] = [countIn(load.report()), performance.now()];
  const { good, bad } = countIn(await load.stop());
  return { rate: (1_000 * (after.good - before.good)) / (endedAt - startedAt), failures: bad, good };
}

function countIn({ statuses, failures }: ReturnType<ReturnType<typeof startLoad>['report']>) {
  const entries = Object.entries(statuses);
  const sum = (isGood: boolean) =>
    entries
      .filter(([status]) => status.startsWith('2') === isGood)
      .reduce((total, [, count]) => total + count, 0);
  return { good: sum(true), bad: sum(false) + failures.length };
}
