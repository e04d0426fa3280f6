import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { type ServerProcess, startServer } from '../bench/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'keydesk-rotation-'));
const running: ServerProcess[] = [];
const root = join(import.meta.dirname, '../..');
const RUN_LIMIT_MS = 60_000;
const scope = 'tickets:read';

/** The authorization server, two processes of the API, and a client of both. */
interface World {
  /** Runs a command of the authorization server and returns its output. */
  run(...args: string[]): string;
  fetchToken(): Promise<string>;
  /** Sends a request with the token to each process of the API and returns the statuses. */
  use(token: string): Promise<number[]>;
}

async function startWorld(): Promise<World> {
  const [authPort, onePort, otherPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const issuer = `http://127.0.0.1:${authPort}`;
  const audience = 'http://api.example';
  const env = {
    AUTH_PORT: String(authPort),
    ISSUER: issuer,
    API_AUDIENCE: audience,
    BASE_URL: audience,
    DATA_DIR: folder,
    MASTER_SECRET_FILE: join(folder, 'master-secret'),
    KEY_POLL_SECONDS: '1',
    KEY_PUBLICATION_LEAD_SECONDS: '2',
    AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    RATE_LIMIT_READS_PER_MINUTE: '0',
  };
  createDevelopmentSecret(env.MASTER_SECRET_FILE);
  const authEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}` };
  running.push(await startServer('apps/auth/src/main.ts', authPort, authEnv));
  const ticketsEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}` };
  for (const port of [onePort, otherPort]) {
    running.push(
      await startServer('apps/tickets-api/src/main.ts', port, { ...ticketsEnv, API_PORT: String(port) }),
    );
  }

  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'apps/auth/src/cli/main.ts'), ...args, '--json'], {
      env: { ...process.env, ...authEnv },
      encoding: 'utf8',
    });
  const client = JSON.parse(
    run('client', 'add', '--type', 'machine', '--name', 'm', '--role', 'agent', '--scope', scope),
  );
  const authorization = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`;

  return {
    run,
    async fetchToken() {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
      const answer = await fetch(`${issuer}/token`, { method: 'POST', headers: { authorization }, body });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    async use(token) {
      const statuses: number[] = [];
      for (const port of [onePort, otherPort]) {
        const read = await fetch(`http://127.0.0.1:${port}/tickets.json`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await read.body?.cancel();
        statuses.push(read.status);
      }
      return statuses;
    },
  };
}

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(String(token.split('.')[0]), 'base64url').toString()).kid;

describe('the signing keys, with two API processes that are not restarted', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    for (const server of running) await server.stop();
    rmSync(folder, { recursive: true });
  });

  test('are rotated by command without rejecting a valid token (RFC 7517 §5)', async () => {
    const kids = new Set<string>();
    const statuses: number[] = [];
    async function useFreshToken(): Promise<void> {
      const token = await world.fetchToken();
      kids.add(kidOf(token));
      statuses.push(...(await world.use(token)));
    }

    await useFreshToken();
    world.run('keys', 'rotate');
    const giveUpAt = Date.now() + RUN_LIMIT_MS;
    while (kids.size < 2 && Date.now() < giveUpAt)
      await Promise.all([useFreshToken(), useFreshToken(), sleep(20)]);
    await Promise.all(Array.from({ length: 20 }, useFreshToken));
    expect(kids.size).toBe(2);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('are removed by command, and their tokens are refused after the next fetch (RFC 9068 §4)', async () => {
    const leaked = await world.fetchToken();
    expect(await world.use(leaked)).toEqual([200, 200]);
    const list = (): { kid: string; state: string }[] =>
      JSON.parse(world.run('keys', 'list')).filter(
        ({ algorithm }: { algorithm: string }) => algorithm === 'ES256',
      );
    const remove = (kid: string) => world.run('keys', 'remove', '--kid', kid, '--yes');
    // As in docs/operations/signing-keys.md: remove the next key first, and the current one when there is a new next key.
    const known = list();
    for (const { kid } of known.filter(({ state }) => state === 'next')) remove(kid);
    const isNew = ({ kid }: { kid: string }) => known.every((key) => key.kid !== kid);
    await expect.poll(() => list().some(isNew), { timeout: RUN_LIMIT_MS, interval: 200 }).toBe(true);
    for (const { kid } of known.filter(({ state }) => state !== 'next')) remove(kid);

    // The API has not seen the new key, so it fetches the set; it also does so every two minutes.
    let fresh = await world.fetchToken();
    const giveUpAt = Date.now() + RUN_LIMIT_MS;
    while (!isNew({ kid: kidOf(fresh) }) && Date.now() < giveUpAt) {
      await sleep(100);
      fresh = await world.fetchToken();
    }
    expect(await world.use(fresh)).toEqual([200, 200]);
    expect(await world.use(leaked)).toEqual([401, 401]);
    expect(await world.use(fresh)).toEqual([200, 200]);
  });
});
