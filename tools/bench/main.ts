import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { compare, type Result } from './comparison.ts';
import { CONNECTIONS, measureHotTicket } from './hot-ticket.ts';
import { addMachine, type Client, fetchToken, tokenCase } from './machine-tokens.ts';
import { addApplication, addPerson, type Person } from './people.ts';
import {
  measureCodeExchange,
  measureLoginFlood,
  measureRefresh,
  measureSignIns,
  type PersonTarget,
} from './person-cases.ts';
import { type ServerProcess, startBaseline, startServer } from './processes.ts';
import { record } from './recording.ts';
import { seed } from './seed.ts';
import { notModifiedCase, ticketCases } from './ticket-cases.ts';
import { uncachedCases } from './uncached-cases.ts';

const usage = `Usage: npm run bench -- [--rounds 5] [--seconds 3] [--tickets 10000] [--only tokens,tickets,hot-ticket,people] [--json FILE]

Compares Keydesk with the plain libraries it uses. Each case runs alternately against Keydesk and its baseline in
several rounds on the same machine; the result is the median ratio. Absolute numbers depend on the machine and are
printed for orientation only.`;
const { values: options } = readCommandLine(usage, {
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    tickets: { type: 'string', default: '10000' },
    only: { type: 'string', default: 'tokens,tickets,hot-ticket,people' },
    json: { type: 'string', default: join(import.meta.dirname, 'results.json') },
  },
});
const rounds = {
  rounds: readCount('--rounds', options.rounds),
  seconds: readCount('--seconds', options.seconds),
};
const tickets = readCount('--tickets', options.tickets);
const parts = options.only.split(',');
const unknown = parts.filter((part) => !['tokens', 'tickets', 'hot-ticket', 'people'].includes(part));
if (unknown.length > 0)
  refuseCommandLine(
    `Unknown part in --only: ${unknown.join(', ')}. Use tokens, tickets, hot-ticket or people.`,
  );
const PEOPLE = 20;

const folder = mkdtempSync(join(tmpdir(), 'keydesk-bench-'));
const running: ServerProcess[] = [];
const results: Result[] = [];
try {
  const servers = await startServers();
  const bare = await track(startBaseline('bare-oidc.ts'));
  if (parts.includes('tokens'))
    report(await compare(tokenCase(servers.issuer, servers.machine, bare.url), rounds));
  if (parts.includes('tickets')) await runTicketCases(servers);
  if (parts.includes('hot-ticket')) for (const result of await runHotTicket(servers)) report(result);
  if (parts.includes('people')) await runPersonCases(servers);
  writeFileSync(options.json, `${JSON.stringify({ node: process.version, ...options, results }, null, 2)}\n`);
} finally {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function track<T extends ServerProcess>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  running.push(server);
  return server;
}

function report(result: Result): void {
  results.push(result);
  const ratio = result.ratio === null ? '    ' : result.ratio.toFixed(2);
  const goal = result.to_reach === null ? '' : `  (target: ${result.to_reach})`;
  const figures = [
    result.keydesk_per_second === null ? '' : `${Math.round(result.keydesk_per_second)}/s`,
    result.baseline_per_second === null ? '' : `against ${Math.round(result.baseline_per_second)}/s`,
    result.keydesk_p99_ms === null ? '' : `p99 ${Math.round(result.keydesk_p99_ms)} ms`,
  ];
  console.log(`${result.case.padEnd(34)} ${ratio}${goal.padEnd(20)} ${figures.filter(Boolean).join(' ')}`);
}

interface Servers {
  issuer: string;
  api: string;
  machine: Client;
  authEnv: Readonly<Record<string, string>>;
}

/** Starts both apps on SQLite without rate limits. */
async function startServers(): Promise<Servers> {
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
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
    AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    // All sign-ins come from one address, which may use a quarter of the queue.
    PASSWORD_HASH_QUEUE: '400',
  };
  createDevelopmentSecret(env.MASTER_SECRET_FILE);
  const authEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}` };
  const apiEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}` };
  await track(startServer('apps/auth/src/main.ts', authPort, authEnv));
  await track(startServer('apps/tickets-api/src/main.ts', apiPort, apiEnv));
  return { issuer, api, machine: await addMachine(authEnv), authEnv };
}

/** Creates tickets and compares the API with plain Koa sending the same bytes. */
async function runTicketCases({ issuer, api, machine }: Servers): Promise<void> {
  const headers = { Authorization: `Bearer ${await fetchToken(issuer, machine)}` };
  const ids = await seed({ api, headers, count: tickets });
  const cases = [...(await uncachedCases({ api, headers, ids })), ...(await ticketCases(api, headers, ids))];
  const file = join(folder, 'recording.json');
  writeFileSync(file, JSON.stringify(await record(cases.map(({ keydesk }) => keydesk))));
  const { url } = await track(startBaseline('bare-koa.ts', file));
  for (const each of cases) report(await compare({ ...each, baseline: { ...each.keydesk, url } }, rounds));
  const { url: urlWithFields } = await track(startBaseline('bare-koa.ts', file, 'fields'));
  for (const { name, keydesk } of cases.filter(({ name }) => name.startsWith('get one'))) {
    const withFields = { name: `${name}, header fields too`, target: undefined, keydesk };
    report(await compare({ ...withFields, baseline: { ...keydesk, url: urlWithFields } }, rounds));
  }
  report(await compare(await notModifiedCase(api, headers, ids), rounds));
}

async function runHotTicket({ issuer, api, machine }: Servers): Promise<Result[]> {
  const headers = { Authorization: `Bearer ${await fetchToken(issuer, machine)}` };
  const ids = await seed({ api, headers, count: CONNECTIONS, fields: { status: 'open' } });
  return measureHotTicket({ api, headers, ids }, rounds);
}

async function runPersonCases({ issuer, machine, authEnv }: Servers): Promise<void> {
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await addPerson(authEnv, n));
  const world: PersonTarget = { application: await addApplication(authEnv, issuer), people, machine };
  report(await measureCodeExchange(world));
  const startBare = (families: number) => startBaseline('bare-oidc.ts', String(families));
  report(await measureRefresh(world, startBare, rounds));
  report(await measureSignIns(world, rounds));
  report(await measureLoginFlood(world, rounds));
}
