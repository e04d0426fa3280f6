import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readCommandLine, readCount } from '@keydesk/testing';
import { FIRST_PAGE, type SizeCase, sizeCases } from './size-cases.ts';
import { takeSample } from './size-sample.ts';
import { type SizeServer, startSizeServer } from './size-server.ts';

const usage = `Usage: npm run bench:size -- [--tickets 1000000 | --file FILE] [--small-file FILE] [--requests 100] [--rounds 2]
  [--limit 50] [--only NAME] [--json FILE]

Measures lists, filters, searches and the change feed over HTTP in a large database, one request at a time.
Generates the database unless --file is given. Reports requests slower than --limit milliseconds with their query
plans. The fastest round of each case counts, because other programs may use the machine. --only selects cases by
name prefix.`;
const { values: options } = readCommandLine(usage, {
  options: {
    tickets: { type: 'string', default: '1000000' },
    file: { type: 'string' },
    'small-file': { type: 'string' },
    requests: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '2' },
    limit: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const requests = readCount('--requests', options.requests);
const limitMilliseconds = readCount('--limit', options.limit);
const tickets = readCount('--tickets', options.tickets);
const SMALL = 10_000;
const rounds = readCount('--rounds', options.rounds);

interface Line {
  case: string;
  requests: number;
  p50_ms: number;
  p95_ms: number;
  /** Average CPU time of the server per request. */
  cpu_ms: number;
  /** Response with a status other than 200. */
  refused?: string;
  slow_statements?: readonly SlowStatement[];
}

interface SlowStatement {
  milliseconds: number;
  sql: string;
  plan: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'keydesk-at-size-'));
try {
  const small = options['small-file'] ?? generate(join(folder, 'small.db'), SMALL);
  const large = options.file ?? generate(join(folder, 'large.db'), tickets);
  const [smallFirstPage] = (await measure(small, ({ name }) => name === FIRST_PAGE)).lines;
  const { lines, memory } = await measure(
    large,
    ({ name }) => name === FIRST_PAGE || name.startsWith(options.only),
  );
  const firstPageRatio =
    (lines.find((line) => line.case === FIRST_PAGE)?.p50_ms ?? Number.NaN) /
    (smallFirstPage?.p50_ms ?? Number.NaN);
  const missed = lines.filter(({ p95_ms, refused }) => refused !== undefined || p95_ms >= limitMilliseconds);
  const report = {
    first_page_ratio: firstPageRatio,
    memory_mb: memory,
    missed: missed.map((line) => line.case),
    lines,
  };
  if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`first page against ${SMALL} tickets: ${firstPageRatio.toFixed(2)} (target: at most 2)`);
  console.log(`memory after each round, MB: ${memory.map(Math.round).join(', ')}`);
  console.log(`slower than ${limitMilliseconds} ms: ${report.missed.join('; ') || 'nothing'}`);
  if (missed.length > 0 || firstPageRatio > 2) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Generates a SQLite file with `tickets` tickets and three times as many replies. */
function generate(path: string, tickets: number): string {
  const cli = join(import.meta.dirname, '../../apps/tickets-api/src/cli/main.ts');
  const args = ['generate', '--tickets', String(tickets), '--replies', String(3 * tickets)];
  execFileSync(process.execPath, [cli, ...args], {
    env: { ...process.env, STORAGE_URL: `sqlite:${path}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path;
}

/** Measures each case in several rounds. */
async function measure(path: string, isMeasured: (each: SizeCase) => boolean) {
  const slowFile = join(folder, 'slow-statements');
  const server = await startSizeServer(`sqlite:${path}`, slowFile);
  try {
    const sample = await takeSample(server);
    const customer = sample.requesters[0] ?? '';
    const cases = sizeCases(sample).filter(isMeasured);
    const memory: number[] = [];
    const quietest = new Map<string, Line>();
    for (let round = 0; round < rounds; round++) {
      for (const each of cases) {
        rmSync(slowFile, { force: true });
        const line = await measureCase(server, each, customer);
        if (line.p95_ms > (quietest.get(line.case)?.p95_ms ?? Number.POSITIVE_INFINITY)) continue;
        const isSlow = line.p95_ms >= limitMilliseconds;
        quietest.set(line.case, isSlow ? { ...line, slow_statements: explain(path, slowFile) } : line);
      }
      memory.push(server.memory());
    }
    const lines = [...quietest.values()];
    for (const line of lines) print(line);
    return { lines, memory };
  } finally {
    await server.stop();
  }
}

async function measureCase(server: SizeServer, each: SizeCase, customer: string): Promise<Line> {
  const { name, role, pages = 0 } = each;
  const times: number[] = [];
  const cpuBefore = server.cpu();
  const toLine = () => ({
    case: name,
    ...toFigures(times),
    cpu_ms: (server.cpu() - cpuBefore) / times.length,
  });
  for (const start of repeated(each.paths)) {
    let path: string | undefined = start;
    for (let page = 0; path !== undefined && page <= pages; page++) {
      const { status, text, milliseconds } = await server.get(path, role && customer);
      times.push(milliseconds);
      if (status !== 200) return { ...toLine(), refused: `${status} ${path} ${text}` };
      path = pages === 0 ? undefined : toNextPath(start, text);
    }
    if (times.length >= requests) break;
  }
  return toLine();
}

function* repeated<T>(values: readonly T[]): Generator<T> {
  for (;;) yield* values;
}

/** Returns the path of the next page: by cursor for a list, by position for the feed. */
function toNextPath(path: string, text: string): string | undefined {
  const { next_cursor, position, changes } = JSON.parse(text) as {
    next_cursor?: string | null;
    position?: string;
    changes?: unknown[];
  };
  if (next_cursor) return `${path}&cursor=${next_cursor}`;
  return position && changes && changes.length > 0 ? `${path}&since=${position}` : undefined;
}

function toFigures(times: readonly number[]): Pick<Line, 'requests' | 'p50_ms' | 'p95_ms'> {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { requests: sorted.length, p50_ms: at(0.5), p95_ms: at(0.95) };
}

/** Returns the slowest logged statements with their query plans. */
function explain(path: string, slowFile: string): readonly SlowStatement[] {
  if (!existsSync(slowFile)) return [];
  const noted = readFileSync(slowFile, 'utf8').trim().split('\n');
  const statements = noted.map((line) => JSON.parse(line) as Omit<SlowStatement, 'plan'>);
  const slowest = statements.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 3);
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return slowest.map((statement) => ({
      ...statement,
      plan: db
        .prepare(`EXPLAIN QUERY PLAN ${statement.sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    }));
  } finally {
    db.close();
  }
}

function print({ case: name, p50_ms, p95_ms, cpu_ms, refused, slow_statements = [] }: Line): void {
  const figures = [`p50`, p50_ms, `p95`, p95_ms, `CPU`, cpu_ms].map((each) =>
    typeof each === 'number' ? `${each.toFixed(1).padStart(7)} ms ` : each,
  );
  console.log(`${name.padEnd(44)} ${figures.join(' ')}`);
  if (refused !== undefined) console.log(`    refused: ${refused}`);
  for (const { milliseconds, sql, plan } of slow_statements) {
    console.log(
      `    ${Math.round(milliseconds)} ms: ${sql.replace(/\s+/g, ' ')}\n      ${plan.join('\n      ')}`,
    );
  }
}
