import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, untilReady } from '@keydesk/testing';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings, toKeyTimings } from '../config.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { addMachineClient, newFolder, runCli, startServer } from '../tests/processes.fixture.ts';
import { API, startTestServer } from '../tests/test-server.fixture.ts';
import { rotateKeys } from './key-schedule.ts';
import { createDevelopmentSecret } from './master-secret.ts';

/** Short enough to observe a rotation from announcement to take-over. */
const hasty = { keyPollSeconds: 2, keyPublicationLeadSeconds: 4, keyRotationDays: 0 };
const timings = toKeyTimings(hasty);
/** Cache lifetime of a verifier: the max-age that goes with the lead. */
const VERIFIER_CACHE_MS = 2_000;
/** Generous limit that only a hanging test reaches. */
const WAIT_LIMIT_MS = 30_000;

interface Pair {
  urls: readonly [string, string];
  client: { id: string; secret: string };
  rotate(): Promise<void>;
}

/** Requests tokens from both servers throughout a rotation and verifies each with the keys of both. */
async function watchRotation({ urls, client, rotate }: Pair): Promise<void> {
  const verifiers = urls.map(createVerifier);
  const seen = new Set<string>();
  const issued: string[] = [];
  const endsAt = performance.now() + timings.takeOverLeadMs + 3_000;
  await rotate();
  const isOver = () => performance.now() > (seen.size < 2 ? endsAt + WAIT_LIMIT_MS : endsAt);
  while (!isOver()) {
    const tokens = await Promise.all(urls.map((url) => fetchToken(url, client)));
    for (const token of tokens) {
      for (const verify of verifiers) await verify(token);
      seen.add(String(decodeProtectedHeader(token).kid));
      issued.push(token);
    }
  }
  expect(seen.size).toBe(2);
  for (const verify of urls.map(createVerifier)) await verify(issued[0] ?? '');
}

/** Creates a verifier that caches the key set as long as an API may. */
function createVerifier(url: string) {
  let keySet: { keys: ReturnType<typeof createLocalJWKSet>; until: number } | undefined;
  return async (token: string) => {
    if (!keySet || performance.now() > keySet.until) {
      const jwks = (await (await fetch(`${url}/jwks`)).json()) as JSONWebKeySet;
      keySet = { keys: createLocalJWKSet(jwks), until: performance.now() + VERIFIER_CACHE_MS };
    }
    await jwtVerify(token, keySet.keys, { typ: 'at+jwt', audience: API });
  };
}

async function fetchToken(url: string, { id, secret }: Pair['client']): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  const response = await fetch(`${url}/token`, { method: 'POST', body });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  describe('a rotation under load with two servers on one database', () => {
    it('issues no token that a server or an API would reject', async () => {
      const config = hasty;
      const one = await startTestServer(storage.get(), { config });
      const two = await startTestServer(await storage.openAnother(), { config: { ...config } });
      onTestFinished(async () => {
        await Promise.all([one.stop(), two.stop()]);
      });
      const { id, secret } = await one.addClient();
      await sleep(5_000);
      await watchRotation({
        urls: [one.url, two.url],
        client: { id, secret: secret ?? '' },
        async rotate() {
          const { keys } = storage.get();
          const stored = await keys.load();
          expect(await keys.save(rotateKeys(stored.keys, new Date(), timings), stored.revision)).toBe(true);
        },
      });
    });
  });
});

describe('a rotation by command under load with two processes on one SQLite file', () => {
  it('issues no token that a server or an API would reject, and is listed', async () => {
    const folder = newFolder();
    createDevelopmentSecret(join(folder, 'master-secret'));
    const ports = [await findFreePort(), await findFreePort()];
    const env = {
      DATA_DIR: folder,
      STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
      MASTER_SECRET_FILE: join(folder, 'master-secret'),
      ISSUER: `http://127.0.0.1:${ports[0]}`,
      API_AUDIENCE: API,
      AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
      TOKEN_RATE_LIMIT_PER_CLIENT: '0',
      TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
      [settings.keyPollSeconds.env]: String(hasty.keyPollSeconds),
      [settings.keyPublicationLeadSeconds.env]: String(hasty.keyPublicationLeadSeconds),
    };
    const [one = '', two = ''] = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const port of ports) {
      await untilReady(`http://127.0.0.1:${port}`, startServer({ ...env, AUTH_PORT: String(port) }));
    }
    const client = await addMachineClient(env);
    const stateOf = async () => {
      const { stdout } = await runCli(['keys', 'list', '--json'], env);
      const keys = JSON.parse(stdout) as { algorithm: string; state: string }[];
      const statesOf = (algorithm: string) =>
        keys
          .filter((key) => key.algorithm === algorithm)
          .map(({ state }) => state)
          .sort();
      return { ES256: statesOf('ES256'), RS256: statesOf('RS256') };
    };
    expect(await stateOf()).toEqual({ ES256: ['current', 'next'], RS256: ['current', 'next'] });
    await watchRotation({
      urls: [one, two],
      client,
      async rotate() {
        expect(await runCli(['keys', 'rotate'], env)).toMatchObject({ code: 0, stderr: '' });
      },
    });
    const rotated = ['current', 'next', 'retired'];
    expect(await stateOf()).toEqual({ ES256: rotated, RS256: rotated });
  });
});
