import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { createDevelopmentSecret } from '../apps/auth/src/keys/master-secret.ts';
import { compare, type Result } from './comparison.ts';
import { CONNECTIONS, measureHotTicket } from './hot-ticket.ts';
import { addMachine, type Client, fetchToken, tokenCase } from './machine-tokens.ts';
import { addApplication, addPerson, type Person } from './people.ts';
import {
  measureCodeExchange,
  measureLoginFlood,
  measureRefresh,
  measureSignIns,
  type PeopleWorld,
} from './person-cases.ts';
import { type ServerProcess, startServer, startYardstick } from './processes.ts';
import { record } from './recording.ts';
import { seed } from './seed.ts';
import { knownCase, ticketCases } from './ticket-cases.ts';
import { unseenCases } from './unseen-cases.ts';

const usage = `Usage: npm run bench -- [--rounds 5] [--seconds 3] [--tickets 10000] [--only tokens,tickets,hot-ticket,people] [--json FILE]

What Keydesk costs over the bare libraries it is made of. Each case runs against Keydesk and against its yardstick in
turn, several rounds, on the same machine in the same minute; the ratio of the medians is the figure. Absolute numbers
depend on the machine and are printed only for orientation.`;
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
if (unknown.length > 0) refuseCommandLine(`--only knows no ${unknown.join(', ')}.`);
const PEOPLE = 20;

const folder = mkdtempSync(join(tmpdir(), 'keydesk-bench-'));
const running: ServerProcess[] = [];
const results: Result[] = [];
try {
  const servers = await startServers();
  const bare = await keep(startYardstick('bare-oidc.ts'));
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

async function keep<T extends ServerProcess>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  running.push(server);
  return server;
}

function report(result: Result): void {
  results.push(result);
  const ratio = result.ratio === null ? '    ' : result.ratio.toFixed(2);
  const goal = result.to_reach === null ? '' : `  (to reach: ${result.to_reach})`;
  const figures = [
    result.keydesk_per_second === null ? '' : `${Math.round(result.keydesk_per_second)}/s`,
    result.yardstick_per_second === null ? '' : `against ${Math.round(result.yardstick_per_second)}/s`,
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

/** Starts both apps on SQLite with limits off. */
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
    // The flood of sign-ins comes from one address, which may have a quarter of the queue.
    PASSWORD_HASH_QUEUE: '400',
  };
  createDevelopmentSecret(env.MASTER_SECRET_FILE);
  const authEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}` };
  const apiEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}` };
  await keep(startServer('apps/auth/src/main.ts', authPort, authEnv));
  await keep(startServer('apps/tickets-api/src/main.ts', apiPort, apiEnv));
  return { issuer, api, machine: await addMachine(authEnv), authEnv };
}

/** Fills the API and compares it with Koa sending the same bytes. */
async function runTicketCases({ issuer, api, machine }: Servers): Promise<void> {
  const headers = { Authorization: `Bearer ${await fetchToken(issuer, machine)}` };
  const ids = await seed({ api, headers, count: tickets });
  const cases = [...(await unseenCases({ api, headers, ids })), ...(await ticketCases(api, headers, ids))];
  const file = join(folder, 'recording.json');
  writeFileSync(file, JSON.stringify(await record(cases.map(({ keydesk }) => keydesk))));
  const { url } = await keep(startYardstick('bare-koa.ts', file));
  for (const each of cases) report(await compare({ ...each, yardstick: { ...each.keydesk, url } }, rounds));
  const { url: urlWithFields } = await keep(startYardstick('bare-koa.ts', file, 'fields'));
  for (const { name, keydesk } of cases.filter(({ name }) => name.startsWith('get one'))) {
    const withFields = { name: `${name}, header fields too`, toReach: undefined, keydesk };
    report(await compare({ ...withFields, yardstick: { ...keydesk, url: urlWithFields } }, rounds));
  }
  report(await compare(await knownCase(api, headers, ids), rounds));
}

async function runHotTicket({ issuer, api, machine }: Servers): Promise<Result[]> {
  const headers = { Authorization: `Bearer ${await fetchToken(issuer, machine)}` };
  const ids = await seed({ api, headers, count: CONNECTIONS, fields: { status: 'open' } });
  return measureHotTicket({ api, headers, ids }, rounds);
}

async function runPersonCases({ issuer, machine, authEnv }: Servers): Promise<void> {
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await addPerson(authEnv, n));
  const world: PeopleWorld = { application: await addApplication(authEnv, issuer), people, machine };
  report(await measureCodeExchange(world));
  const startBare = (families: number) => startYardstick('bare-oidc.ts', String(families));
  report(await measureRefresh(world, startBare, rounds));
  report(await measureSignIns(world, rounds));
  report(await measureLoginFlood(world, rounds));
}
