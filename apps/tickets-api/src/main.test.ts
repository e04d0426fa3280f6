import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type Program, startProgram, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newTicket } from './api/tickets/new-ticket.fixture.ts';
import { adding } from './helpdesk/commit/ticket-commit.fixture.ts';
import { type PersonRecord, toReference } from './helpdesk/people/person.ts';
import { firstPersonRecord, toTombstone } from './helpdesk/people/person-record.ts';
import { openStorage } from './storage/open-storage.ts';

/** Only bounds a hanging test. */
const START_LIMIT = { timeout: 90_000 };
const DAY_MS = 24 * 60 * 60 * 1000;

function start(env: Readonly<Record<string, string>>): Program {
  const program = startProgram(join(import.meta.dirname, 'main.ts'), { env });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return program;
}

/** Returns settings with which the API starts, although no issuer runs. */
async function usableEnv() {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-'));
  return {
    url: `http://127.0.0.1:${port}`,
    env: {
      API_PORT: String(port),
      STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
      ISSUER: `http://127.0.0.1:${await findFreePort()}`,
    },
  };
}

describe('the API as a program', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'becomes ready while its issuer is down, and on %s exits with 0 having written only its log',
    async (signal) => {
      const { url, env } = await usableEnv();
      const program = start(env);
      await untilReady(url, program);
      expect((await fetch(`${url}/tickets.json`)).status).toBe(401);
      program.child.kill(signal);
      const { code, stdout, stderr } = await program.ended;
      expect([code, stderr]).toEqual([0, '']);
      const lines = stdout.trim().split('\n');
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ name: 'tickets-api' });
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'stopping', signal });
    },
  );

  it('drains on SIGTERM: not ready but serving, until DRAIN_SECONDS have passed or a second signal arrives', async () => {
    const { url, env } = await usableEnv();
    const program = start({ ...env, DRAIN_SECONDS: '600' });
    await untilReady(url, program);
    program.child.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
    const answer = await fetch(`${url}/tickets.json`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });

  it('closes solved tickets and purges deleted ones, each after the configured number of days', async () => {
    const { env } = await usableEnv();
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    const solved = newTicket({ status: 'solved', solved_at: daysAgo(2) });
    const recent = newTicket({ deleted_at: daysAgo(3) });
    const purged = newTicket({ deleted_at: daysAgo(5) });
    const { tickets, close } = await openStorage(env.STORAGE_URL);
    onTestFinished(close);
    await tickets.commit([solved, recent, purged].map((ticket) => adding(ticket)));

    start({ ...env, SOLVED_CLOSES_AFTER_DAYS: '1', PURGE_DELETED_AFTER_DAYS: '4' });
    const statusOf = async (id: string) => (await tickets.find(id))?.ticket.status;
    await expect.poll(() => statusOf(solved.id), START_LIMIT).toBe('closed');
    await expect.poll(() => tickets.find(purged.id)).toBeUndefined();
    expect(await tickets.find(recent.id)).toBeDefined();
  });

  it('at startup, finishes a merge of people that a killed process left unfinished', async () => {
    const { env } = await usableEnv();
    const { tickets, people, close } = await openStorage(env.STORAGE_URL);
    onTestFinished(close);
    const at = new Date(Date.now() - 60_000);
    const [survivor, other] = ['ada', 'ada.king'].map((name) =>
      firstPersonRecord({ id: randomUUID(), email: `${name}@example.com`, name }, at),
    ) as [PersonRecord, PersonRecord];
    const ticket = newTicket({
      requester: toReference(other.person),
      followers: [toReference(other.person)],
    });
    await tickets.commit([adding(ticket)]);
    await people.write([{ record: survivor }, { record: toTombstone(other, survivor.person.id, at) }]);

    start(env);
    const find = async () => (await tickets.find(ticket.id))?.ticket;
    const reference = toReference(survivor.person);
    await expect.poll(find, START_LIMIT).toMatchObject({ requester: reference, followers: [reference] });
    await expect.poll(() => people.listPendingMerges(1)).toEqual([]);
  });
});

describe('an API that cannot start', () => {
  async function failureOf(env: Readonly<Record<string, string>>) {
    const { code, stderr } = await start(env).ended;
    expect(code).toBe(1);
    return stderr;
  }

  it('lists every invalid setting at once, without its value', async () => {
    const names = ['API_PORT', 'BASE_URL', 'ISSUER', 'STORAGE_URL', 'REDIS_URL', 'RATE_LIMIT_STATUS'];
    const stderr = await failureOf(Object.fromEntries(names.map((name) => [name, 'hunter2'])));
    for (const name of names) expect(stderr).toMatch(new RegExp(`^ {2}${name}: `, 'm'));
    expect(stderr).not.toContain('hunter2');
  });

  it('lists the allowed values of a setting that is out of range or unknown', async () => {
    const stderr = await failureOf({ API_PORT: '99999', LOG_LEVEL: 'loud', RATE_LIMIT_STATUS: '420' });
    expect(stderr).toMatch(/^ {2}API_PORT: must be a whole number from 0 to 65535$/m);
    expect(stderr).toMatch(/^ {2}LOG_LEVEL: must be fatal, error, .* or silent$/m);
    expect(stderr).toMatch(/^ {2}RATE_LIMIT_STATUS: must be 421 or 429$/m);
  });

  it('lists the unknown operations of STEP_UP_OPERATIONS, and the known ones', async () => {
    const { env } = await usableEnv();
    const stderr = await failureOf({ ...env, STEP_UP_OPERATIONS: 'purge,everything,deleteTicket' });
    expect(stderr).toMatch(
      /STEP_UP_OPERATIONS: unknown everything; use purge, definitions, merge, export or ids/,
    );
    expect(await failureOf({ STEP_UP_ACR_VALUES: 'a"b', STEP_UP_MAX_AGE_SECONDS: '-1' })).toMatch(
      /^ {2}STEP_UP_ACR_VALUES: .*\n {2}STEP_UP_MAX_AGE_SECONDS: /m,
    );
  });

  it('in production, rejects missing or plain http URLs of issuer, keys and API', async () => {
    const unset = await failureOf({ NODE_ENV: 'production' });
    expect(unset).toMatch(/^ {2}BASE_URL: must be set/m);
    expect(unset).toMatch(/^ {2}ISSUER: must be set/m);
    const urls = { BASE_URL: 'http://api.example.com', ISSUER: 'http://auth.example.com' };
    const keys = { JWKS_URL: 'http://auth.internal/jwks' };
    const plain = await failureOf({ NODE_ENV: 'production', ...urls, ...keys });
    expect(plain).toMatch(/^ {2}BASE_URL: must be https/m);
    expect(plain).toMatch(/^ {2}ISSUER: must be https/m);
    // OpenID Connect Core §16.17, CWE-319: an attacker on the path could replace the keys and sign tokens of any role.
    expect(plain).toMatch(/^ {2}JWKS_URL: must be https/m);
  });

  it.each([
    'https://api.example.com/?v=1',
    'https://api.example.com/#v1',
    'https://user:hunter2@api.example.com',
  ])('rejects a BASE_URL to which no path can be appended: %s', async (BASE_URL) => {
    const stderr = await failureOf({ BASE_URL });
    expect(stderr).toMatch(/^ {2}BASE_URL: must be scheme, host and an optional path, like /m);
    expect(stderr).not.toContain('hunter2');
  });

  it('reports in one line that its port is in use', async () => {
    const { env } = await usableEnv();
    const blocker = createServer().listen(Number(env.API_PORT), '127.0.0.1');
    onTestFinished(() => void blocker.close());
    await once(blocker, 'listening');
    expect(await failureOf(env)).toMatch(
      /^The helpdesk API cannot start: [^\n]*set API_PORT to another port\.\n$/,
    );
  });

  it('reports in one line that its database cannot be opened', async () => {
    const { env } = await usableEnv();
    const stderr = await failureOf({ ...env, STORAGE_URL: 'sqlite:/dev/null/tickets.db' });
    expect(stderr).toMatch(/^The helpdesk API cannot start: [^\n]*\n$/);
  });
});
