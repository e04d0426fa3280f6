import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDevelopmentSecret } from '../apps/auth/src/keys/master-secret.ts';
import { type Load, type Measured, measure, median } from './load.ts';
import { freePort, type ServerProcess, startServer, startYardstick } from './processes.ts';
import { record } from './recording.ts';
import { pathsOfPages, seed } from './seed.ts';

// npm run bench: what Keydesk costs over the bare libraries it is made of. Each case runs against Keydesk and against
// its yardstick in turn, several rounds, on the same machine in the same minute; the ratio of the medians is the
// figure. Absolute numbers depend on the machine and are printed only for orientation.
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    tickets: { type: 'string', default: '10000' },
    json: { type: 'string', default: join(import.meta.dirname, 'results.json') },
  },
});

interface Case {
  name: string;
  toReach: number | undefined;
  keydesk: Load;
  yardstick: Load;
}

interface Result {
  case: string;
  ratio: number;
  to_reach: number | null;
  keydesk_per_second: number;
  yardstick_per_second: number;
  keydesk_p99_ms: number;
}

const folder = mkdtempSync(join(tmpdir(), 'keydesk-bench-'));
const running: ServerProcess[] = [];
try {
  const results: Result[] = [];
  for (const benchCase of await prepare()) {
    const result = await compare(benchCase);
    results.push(result);
    const goal = result.to_reach === null ? '' : `  (to reach: ${result.to_reach})`;
    console.log(
      `${result.case.padEnd(34)} ${result.ratio.toFixed(2)}${goal.padEnd(20)} ${Math.round(result.keydesk_per_second)}/s against ${Math.round(result.yardstick_per_second)}/s`,
    );
  }
  writeFileSync(options.json, `${JSON.stringify({ node: process.version, ...options, results }, null, 2)}\n`);
} finally {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function compare({ name, toReach, keydesk, yardstick }: Case): Promise<Result> {
  const seconds = Number(options.seconds);
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  await measure(keydesk, 1);
  await measure(yardstick, 1);
  for (let round = 0; round < Number(options.rounds); round++) {
    ours.push(await measure(keydesk, seconds));
    theirs.push(await measure(yardstick, seconds));
  }
  const perSecond = (runs: readonly Measured[]) => median(runs.map((run) => run.requestsPerSecond));
  return {
    case: name,
    ratio: perSecond(ours) / perSecond(theirs),
    to_reach: toReach ?? null,
    keydesk_per_second: perSecond(ours),
    yardstick_per_second: perSecond(theirs),
    keydesk_p99_ms: median(ours.map((run) => run.p99Milliseconds)),
  };
}

/** Starts both apps on SQLite with limits off and their yardsticks, and fills the API. */
async function prepare(): Promise<Case[]> {
  const [authPort, apiPort] = [await freePort(), await freePort()];
  const issuer = `http://127.0.0.1:${authPort}`;
  const api = `http://127.0.0.1:${apiPort}`;
  const env = {
    AUTH_PORT: String(authPort),
    API_PORT: String(apiPort),
    ISSUER: issuer,
    BASE_URL: api,
    API_AUDIENCE: api,
    MASTER_SECRET_FILE: join(folder, 'master-secret'),
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
  };
  createDevelopmentSecret(env.MASTER_SECRET_FILE);
  const authEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}` };
  running.push(await startServer('apps/auth/src/main.ts', authPort, authEnv));
  running.push(
    await startServer('apps/tickets-api/src/main.ts', apiPort, {
      ...env,
      STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
    }),
  );
  const bareOidc = await startYardstick('bare-oidc.ts');
  running.push(bareOidc);

  const client = addClient(authEnv);
  const headers = { Authorization: `Bearer ${await fetchToken(issuer, client)}` };
  const ids = await seed({ api, headers, count: Number(options.tickets) });
  const cases = await ticketCases(api, headers, ids);
  const file = join(folder, 'recording.json');
  writeFileSync(file, JSON.stringify(await record(cases.map(({ keydesk }) => keydesk))));
  const bareKoa = await startYardstick('bare-koa.ts', file);
  running.push(bareKoa);
  return [
    tokenCase(issuer, client, bareOidc.url),
    ...cases.map(({ name, toReach, keydesk }) => ({
      name,
      toReach,
      keydesk,
      yardstick: { ...keydesk, url: bareKoa.url },
    })),
  ];
}

interface Client {
  client_id: string;
  client_secret: string;
}

function addClient(env: Readonly<Record<string, string>>): Client {
  const args = ['client', 'add', '--type', 'machine', '--name', 'bench', '--role', 'agent', '--json'];
  const scope = ['--scope', 'tickets:read tickets:write tickets:delete'];
  const cli = join(import.meta.dirname, '../apps/auth/src/cli/main.ts');
  return JSON.parse(
    execFileSync(process.execPath, [cli, ...args, ...scope], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }),
  ) as Client;
}

async function fetchToken(issuer: string, client: Client): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    ...tokenRequest(client, 'tickets:read tickets:write'),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

function tokenRequest({ client_id, client_secret }: Client, scope: string) {
  return {
    headers: {
      Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
  };
}

function tokenCase(issuer: string, client: Client, bareUrl: string): Case {
  const bare = { client_id: 'bench', client_secret: 'bench-secret-bench-secret-bench-secret' };
  const load = (url: string, who: Client) => ({
    url,
    requests: [{ method: 'POST', path: '/token', ...tokenRequest(who, 'tickets:read') }],
  });
  return {
    name: 'token, client_credentials',
    toReach: 0.8,
    keydesk: load(issuer, client),
    yardstick: load(bareUrl, bare),
  };
}

type TicketCase = Pick<Case, 'name' | 'toReach' | 'keydesk'>;

/** Reads go over the whole table at random, so that no cache of a few rows makes the figure. */
async function ticketCases(
  api: string,
  headers: Record<string, string>,
  ids: readonly string[],
): Promise<TicketCase[]> {
  const read = (paths: readonly string[]): Load => ({
    url: api,
    requests: paths.map((path) => ({ method: 'GET', path, headers })),
  });
  const create = (format: string, contentType: string, body: string): Load => ({
    url: api,
    requests: [
      {
        method: 'POST',
        path: `/tickets.${format}`,
        headers: { ...headers, 'Content-Type': contentType },
        body,
      },
    ],
  });
  const some = ids.filter((_, i) => i % Math.ceil(ids.length / 1000) === 0);
  const pages = await pathsOfPages({ api, headers, limit: 50, count: 100 });
  const asXml = (path: string) => path.replace('.json', '.xml');
  return [
    { name: 'get one, JSON', toReach: 0.4, keydesk: read(some.map((id) => `/ticket/${id}.json`)) },
    { name: 'get one, XML', toReach: undefined, keydesk: read(some.map((id) => `/ticket/${id}.xml`)) },
    { name: 'list of 50, JSON', toReach: 0.5, keydesk: read(pages) },
    { name: 'list of 50, XML', toReach: 0.25, keydesk: read(pages.map(asXml)) },
    {
      name: 'create (durable), JSON',
      toReach: undefined,
      keydesk: create(
        'json',
        'application/json',
        '{"subject":"Bench","description":"A ticket","tags":["bench"]}',
      ),
    },
    {
      name: 'create (durable), XML',
      toReach: undefined,
      keydesk: create(
        'xml',
        'application/xml',
        '<ticket><subject>Bench</subject><description>A ticket</description><tags><tag>bench</tag></tags></ticket>',
      ),
    },
  ];
}
