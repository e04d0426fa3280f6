import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { findFreePort, readCommandLine, readCount, startTestIssuer, type TestIssuer } from '@keydesk/testing';
import { createUniqueTimes, type Load, median } from './load.ts';
import { type ServerProcess, startBaseline, startServer } from './processes.ts';
import { record } from './recording.ts';
import { seed } from './seed.ts';
import { type TicketCase, ticketCases } from './ticket-cases.ts';
import { uncachedCases } from './uncached-cases.ts';

const usage = `Usage: npm run bench:compare -- CHECKOUT... [--rounds 30] [--requests 200] [--tickets 10000] [--only TEXT]
  [--folder FOLDER]

Compares the CPU time per request of the API in several checkouts and of plain Koa. They are measured in turn with few
requests in each of many rounds, so other load on the machine affects them equally. Prints the medians of CPU time, of
its ratio to the first checkout with quartiles, and of the ratio of plain Koa to it. --only selects cases by a part of
the name. --folder keeps the databases for the next run.`;
const { values: options, positionals: checkouts } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '30' },
    requests: { type: 'string', default: '200' },
    tickets: { type: 'string', default: '10000' },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
  },
});
const rounds = readCount('--rounds', options.rounds);
const requests = readCount('--requests', options.requests);
const tickets = readCount('--tickets', options.tickets);
/** Requests until the functions of a request are fully compiled. */
const WARM_UP_REQUESTS = 2000;
const CONNECTIONS = 16;
/** All processes share it, so that their responses have the same bytes and accept the same token. */
const BASE_URL = 'http://keydesk.test';

/** A server and its load for each case. */
interface Contender {
  name: string;
  server: ServerProcess;
  cases: readonly TicketCase[];
}

const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'keydesk-compare-'));
mkdirSync(folder, { recursive: true });
const issuer = await startTestIssuer({ audience: BASE_URL });
const running: ServerProcess[] = [];
try {
  const contenders: Contender[] = [];
  for (const checkout of checkouts) contenders.push(await startCheckout(checkout, issuer));
  contenders.push(await startPlainKoa(contenders[0] as Contender));
  for (const { name } of contenders[0]?.cases ?? []) {
    report(name, contenders, await measureInTurn(name, contenders));
  }
} finally {
  for (const server of running) await server.stop();
  await issuer.stop();
  if (!options.folder) rmSync(folder, { recursive: true });
}

async function startCheckout(checkout: string, { issuer, token }: TestIssuer): Promise<Contender> {
  const name = basename(checkout);
  const port = await findFreePort();
  const server = await startServer(resolve(checkout, 'apps/tickets-api/src/main.ts'), port, {
    API_PORT: String(port),
    BASE_URL,
    ISSUER: issuer,
    STORAGE_URL: `sqlite:${join(folder, `${name}.db`)}`,
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
  });
  running.push(server);
  const headers = {
    Authorization: `Bearer ${token({ role: 'agent', scope: 'tickets:read tickets:write' })}`,
  };
  const target = { api: server.url, headers };
  const ids = await seedOnce(name, target);
  const reads = await uncachedCases({ ...target, ids });
  const cases = [...reads, ...(await ticketCases(target.api, headers, ids))];
  return { name, server, cases: cases.filter((each) => each.name.includes(options.only)) };
}

/** Seeds a database, unless an earlier run did; resolves with its ids. */
async function seedOnce(name: string, target: Pick<Parameters<typeof seed>[0], 'api' | 'headers'>) {
  const file = join(folder, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as string[];
  const ids = await seed({ ...target, count: tickets });
  writeFileSync(file, JSON.stringify(ids));
  return ids;
}

/** Starts plain Koa with the responses of a checkout. */
async function startPlainKoa({ cases }: Contender): Promise<Contender> {
  const file = join(folder, 'recording.json');
  writeFileSync(file, JSON.stringify(await record(cases.map(({ keydesk }) => keydesk))));
  const server = await startBaseline('bare-koa.ts', file);
  running.push(server);
  const toOwn = (each: TicketCase) => ({ ...each, keydesk: { ...each.keydesk, url: server.url } });
  return { name: 'plain Koa', server, cases: cases.map(toOwn) };
}

/** Measures microseconds of CPU time per request: for each contender, a list of rounds. */
async function measureInTurn(name: string, contenders: readonly Contender[]): Promise<number[][]> {
  const measures = contenders.map(({ cases, server }) => {
    const send = createSender(cases.find((each) => each.name === name)?.keydesk as Load);
    return async (count: number) => {
      const before = readCpuMicroseconds(server.pid);
      await send(count);
      return (readCpuMicroseconds(server.pid) - before) / count;
    };
  });
  for (const measure of measures) await measure(WARM_UP_REQUESTS);
  const figures: number[][] = measures.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, measure] of measures.entries()) figures[i]?.push(await measure(requests));
  }
  return figures;
}

/** Creates a function that sends a number of the requests of a load, in turn, over a few connections. */
function createSender({ url, requests, hasUniqueTimes }: Load): (count: number) => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const nextTime = createUniqueTimes();
  let sent = 0;

  function sendNext(): Promise<void> {
    const { path, body, ...head } = requests[sent++ % requests.length] as Load['requests'][number];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const target = url + path + (hasUniqueTimes ? nextTime() : '');
    const sending = request(target, { ...head, agent }, (response) => {
      response.resume().once('end', resolve).once('error', reject);
      if ((response.statusCode ?? 500) >= 300) reject(new Error(`${target}: ${response.statusCode}`));
    });
    sending.once('error', reject).end(body);
    return promise;
  }

  return async (count) => {
    const end = sent + count;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (sent < end) await sendNext();
      }),
    );
  };
}

/** Reads the CPU time of all threads of a process from the scheduler, which counts in nanoseconds. */
function readCpuMicroseconds(pid: number): number {
  const readNanoseconds = (thread: string) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + readNanoseconds(thread), 0) / 1000;
}

function report(
  name: string,
  contenders: readonly Contender[],
  figures: readonly (readonly number[])[],
): void {
  const [first = []] = figures;
  const plain = figures.at(-1) ?? [];
  console.log(name);
  for (const [i, own] of figures.entries()) {
    const ratios = own.map((figure, round) => figure / (first[round] as number)).toSorted((a, b) => a - b);
    const quartile = (part: number) => ratios[Math.floor(part * (ratios.length - 1))]?.toFixed(3);
    const toPlain = median(own.map((figure, round) => (plain[round] as number) / figure)).toFixed(3);
    const microseconds = median(own).toFixed(0).padStart(6);
    const ratio = `${median(ratios).toFixed(3)} (${quartile(0.25)} to ${quartile(0.75)})`;
    console.log(`  ${contenders[i]?.name.padEnd(16)} ${microseconds} µs  ${ratio}  plain Koa ${toPlain}`);
  }
}
