import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describeWith, findFreePort } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../apps/auth/src/storage/test-database.fixture.ts';
import { createBrowser } from '../../apps/auth/src/tests/browser.fixture.ts';
import {
  type Journey,
  obtainTokens,
  signIn,
  startJourney,
} from '../../apps/auth/src/tests/people.fixture.ts';
import { runCli } from '../../apps/auth/src/tests/processes.fixture.ts';
import {
  API,
  basic,
  masterSecret,
  startTestServer,
  type TestServer,
} from '../../apps/auth/src/tests/test-server.fixture.ts';
import { type KillableProcess, startKillable } from '../kill-audit/killable-process.ts';

type Tokens = Awaited<ReturnType<typeof obtainTokens>>;
/** A revocation through the server; it resolves when the server has acknowledged it. */
type Revoke = (journey: Journey, tokens: Tokens) => Promise<unknown>;

interface StatusClaims {
  status: { status_list: { uri: string; idx: number } };
}
interface ListClaims {
  status_list: { lst: string };
}

/** Returns the bit of a token in the list of its issuer. */
async function statusOf(token: string): Promise<number> {
  const { uri, idx } = decodeJwt<StatusClaims>(token).status.status_list;
  const list = decodeJwt<ListClaims>(await (await fetch(uri)).text()).status_list;
  const bytes = inflateSync(Buffer.from(list.lst, 'base64url'));
  return ((bytes[idx >> 3] ?? 0) >> (idx & 7)) & 1;
}

/** Submits a form of an account page, which must lead to another page. */
async function submit({ browser }: Journey, path: string, formId: RegExp): Promise<void> {
  const page = await browser.open(path);
  const id = formId.exec(page.html)?.[1] ?? `${formId}`;
  const shown = await browser.submit(page, id);
  expect([shown.status, shown.redirects.length > 0], shown.html).toEqual([200, true]);
}

/** Returns the URL of a database, as a setting. */
function toUrl({ location: { url, database = '' } }: TestDatabase): string {
  return url.replace(/\/(?=\?|$)/, `/${database}`);
}

const revocations: readonly [string, Revoke][] = [
  [
    'a session',
    async (journey) => {
      const other = { ...journey, browser: createBrowser(journey.server.url) };
      await signIn(other, await other.browser.open('/sign-in'));
      await submit(other, '/account/sessions', /<form id="(end-session-\w+)"/);
    },
  ],
  [
    'the access of an application',
    (journey) => submit(journey, '/account/applications', /<form id="(revoke-[\w-]+)"/),
  ],
  [
    'a refresh token',
    async ({ server, clientId, clientSecret }, { refresh_token: token }) => {
      const response = await fetch(`${server.url}/token/revocation`, {
        method: 'POST',
        headers: basic(clientId, clientSecret),
        body: new URLSearchParams({ token: String(token) }),
      });
      expect(response.status).toBe(200);
    },
  ],
  [
    'every session, by a raised credential epoch',
    (journey) => submit(journey, '/account', /<form id="(sign-out-everywhere)"/),
  ],
];

function killedServer(createDatabase: () => Promise<TestDatabase>): void {
  let process: KillableProcess;
  let database: TestDatabase;
  let env: Record<string, string>;
  /** Adds accounts and clients to the database of the process; it serves no request. */
  let operator: TestServer;
  const ends: (() => unknown)[] = [];

  const start = () => startKillable('auth', operator.url, env);

  beforeAll(async () => {
    database = await createDatabase();
    const port = await findFreePort();
    const issuer = `http://127.0.0.1:${port}`;
    const storage = await openStorage(database.location);
    const server = await startTestServer(storage, { config: { issuer } });
    operator = { ...server, url: issuer };
    env = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      STORAGE_URL: toUrl(database),
      MAIL_FOLDER: join(tmpdir(), `keydesk-mail-${randomUUID()}`),
      MASTER_SECRET: masterSecret,
      API_AUDIENCE: API,
      AUTH_PORT: String(port),
      ISSUER: issuer,
    };
    process = await start();
    ends.push(() => process.kill(), server.stop, storage.close, database.drop);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  async function killAfter(revoke: Revoke): Promise<void> {
    const journey = await startJourney(operator);
    const tokens = await obtainTokens(journey);
    expect(await statusOf(tokens.access_token)).toBe(0);
    await revoke(journey, tokens);
    await process.kill();
    process = await start();
    expect(await statusOf(tokens.access_token)).toBe(1);
  }

  test.each(revocations)('has revoked %s', (_, revoke) => killAfter(revoke));

  test('has disabled a client', () =>
    killAfter(async ({ clientId }) => {
      const { code, stderr } = await runCli(['client', 'disable', clientId], env);
      expect(code, stderr).toBe(0);
    }));
}

describe('a list of a server that was killed after it acknowledged (Token Status List §8)', () => {
  describe('on SQLite', () => killedServer(createSqliteDatabase));
  describeWith('mongodb', 'on MongoDB', (url) => killedServer(() => createMongoDatabase(url)));
});
