import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { readCommandLine, readCount, refuseCommandLine, startTcpProxy } from '@keydesk/testing';
import { createConnection } from 'mongoose';
import type { WriterReport } from './mongo-writer.ts';

const USAGE = `Usage: npm run bench:mongo -- [options]

Measures commits of the helpdesk API on MongoDB (TEST_MONGODB_URL), made by several processes through a network with a
delay. A slow server limits the figures; with a longer delay, round trips limit them instead.

  --delays MS,…       delays in each direction, in milliseconds; default: 0,2.5
  --processes N,…     numbers of processes; default: 1,2,4
  --writers N         concurrent commits of each process; default: 16
  --seconds N         duration of each measurement; default: 8`;

const { values } = readCommandLine(USAGE, {
  options: {
    delays: { type: 'string', default: '0,2.5' },
    processes: { type: 'string', default: '1,2,4' },
    writers: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '8' },
  },
});
const { TEST_MONGODB_URL: serverUrl = '' } = process.env;
if (serverUrl === '') refuseCommandLine('TEST_MONGODB_URL is not set.');
const writers = readCount('--writers', values.writers);
const seconds = readCount('--seconds', values.seconds);

const rows: object[] = [];
for (const delayMs of values.delays.split(',').map(Number)) {
  const server = new URL(serverUrl);
  const proxy = await startTcpProxy(Number(server.port), { delayMs });
  server.port = String(proxy.port);
  // Otherwise the driver connects to the address that the server reports, without the proxy.
  server.searchParams.set('directConnection', 'true');
  server.searchParams.set('monitorCommands', 'true');
  for (const count of values.processes.split(',').map(Number)) {
    rows.push({ delay_ms: delayMs, processes: count, ...(await measure(server.href, count)) });
    console.error(JSON.stringify(rows.at(-1)));
  }
  await proxy.close();
}
console.table(rows);

/** Runs the writers of some processes at the same time, on a new database. */
async function measure(url: string, processes: number) {
  const database = `bench-${randomUUID().slice(0, 8)}`;
  // One after another, because each creates missing indexes.
  const children: ReturnType<typeof fork>[] = [];
  for (let i = 0; i < processes; i++) {
    const program = join(import.meta.dirname, 'mongo-writer.ts');
    const child = fork(program, [url, database, String(writers), String(seconds)]);
    await once(child, 'message');
    children.push(child);
  }
  const startedAt = performance.now();
  const reports = await Promise.all(
    children.map(async (child) => {
      child.send('start');
      const [report] = await once(child, 'message');
      return report as WriterReport;
    }),
  );
  const figures = toFigures(reports, (performance.now() - startedAt) / 1_000);
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
  await dropDatabase(database);
  return figures;
}

function toFigures(reports: readonly WriterReport[], elapsedSeconds: number) {
  const latencies = reports.flatMap((report) => report.latencies).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(latencies[Math.floor(share * latencies.length)] ?? Number.NaN);
  const mean = (pick: (report: WriterReport) => number) =>
    Number((reports.reduce((sum, report) => sum + pick(report), 0) / reports.length).toFixed(2));
  return {
    commits_per_second: Number((latencies.length / elapsedSeconds).toFixed(1)),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    errors: reports.reduce((sum, { errors }) => sum + errors, 0),
    commands_per_commit: mean(({ commandsPerCommit }) => commandsPerCommit),
    critical_per_commit: mean(({ criticalPerCommit }) => criticalPerCommit),
  };
}

async function dropDatabase(dbName: string): Promise<void> {
  const connection = await createConnection(serverUrl, { dbName }).asPromise();
  await connection.dropDatabase();
  await connection.close();
}
