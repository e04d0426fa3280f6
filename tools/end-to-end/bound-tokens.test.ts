import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDpopKey, describeWith, findFreePort, startRedis } from '@keydesk/testing';
import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { type ServerProcess, startServer } from '../bench/processes.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keydesk-bound-tokens-'));
const running: ServerProcess[] = [];
let env: Record<string, string>;
let authUrls: string[];
let apiUrl: string;

beforeAll(async () => {
  const [onePort, otherPort, apiPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const issuer = `http://127.0.0.1:${onePort}`;
  apiUrl = `http://127.0.0.1:${apiPort}`;
  env = {
    ISSUER: issuer,
    API_AUDIENCE: apiUrl,
    BASE_URL: apiUrl,
    DATA_DIR: folder,
    MASTER_SECRET_FILE: join(folder, 'master-secret'),
    STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
  };
  createDevelopmentSecret(env.MASTER_SECRET_FILE ?? '');
  for (const port of [onePort, otherPort])
    running.push(await startServer('apps/auth/src/main.ts', port, { ...env, AUTH_PORT: String(port) }));
  authUrls = running.map(({ url }) => url);
  const api = { ...env, API_PORT: String(apiPort), STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}` };
  running.push(await startServer('apps/tickets-api/src/main.ts', apiPort, api));
});
afterAll(async () => {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) =>
  JSON.parse(
    execFileSync(process.execPath, [join(root, 'apps/auth/src/cli/main.ts'), ...args, '--json'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }),
  );

const machine = ['--name', 'M', '--role', 'agent', '--scope', 'tickets:read'];
const basicOf = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/** Registers a machine client of the FAPI 2.0 Security Profile by command. */
async function newMachine() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const file = join(folder, 'jwks.json');
  writeFileSync(file, JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  const options = ['--profile', 'fapi2', '--jwks', file, '--role', 'agent', '--scope', 'tickets:read'];
  const { client_id } = run('client', 'add', '--name', 'Machine', ...options);
  const application = await oauth.discovery(
    new URL(env.ISSUER ?? ''),
    client_id,
    undefined,
    oauth.PrivateKeyJwt(privateKey),
    { execute: [oauth.allowInsecureRequests] },
  );
  return { clientId: String(client_id), application };
}

const newHandle = async (application: oauth.Configuration) =>
  oauth.getDPoPHandle(application, await oauth.randomDPoPKeyPair());

describe('a key-bound token of the authorization server', () => {
  test('is accepted by the API only with a proof of its key (RFC 9449 §7.1, §7.2)', async () => {
    const { application } = await newMachine();
    const DPoP = await newHandle(application);
    const { access_token } = await oauth.clientCredentialsGrant(application, {}, { DPoP });
    const url = new URL('/tickets.json', apiUrl);
    const read = (options?: oauth.DPoPOptions) =>
      oauth.fetchProtectedResource(application, access_token, url, 'GET', undefined, undefined, options).then(
        ({ status }) => status,
        ({ status }) => status,
      );
    expect(await read({ DPoP })).toBe(200);
    expect(await read()).toBe(401);
    expect(await read({ DPoP: await newHandle(application) })).toBe(401);
  });

  test('is issued once for a proof sent to two processes concurrently (RFC 9449 §11.1)', async () => {
    const { client_id, client_secret } = run('client', 'add', ...machine);
    const proof = createDpopKey().proof({ method: 'POST', url: `${env.ISSUER}/token`, token: '' });
    const request = (base: string) =>
      fetch(`${base}/token`, {
        method: 'POST',
        headers: { ...basicOf(client_id, client_secret), DPoP: proof },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => request(authUrls[i % 2] ?? '')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
  });
});

describeWith('redis', 'a proof used at one process of the API', () => {
  test('is refused by processes with the same Redis, and after a restart (RFC 9449 §11.1)', async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const startApi = async () => {
      const [port, file] = [await findFreePort(), join(folder, 'shared-tickets.db')];
      const own = { API_PORT: String(port), STORAGE_URL: `sqlite:${file}`, REDIS_URL: redis.url };
      const api = await startServer('apps/tickets-api/src/main.ts', port, { ...env, ...own });
      let ended: Promise<void> | undefined;
      const stop = () => {
        ended ??= api.stop();
        return ended;
      };
      onTestFinished(stop);
      return { url: api.url, stop };
    };
    const [first, second] = [await startApi(), await startApi()];
    const { client_id, client_secret } = run('client', 'add', ...machine);
    const key = createDpopKey();
    const asked = key.proof({ method: 'POST', url: `${env.ISSUER}/token`, token: '' });
    const answer = await fetch(`${env.ISSUER}/token`, {
      method: 'POST',
      headers: { ...basicOf(client_id, client_secret), DPoP: asked },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    // Clients use the audience as the URL of the API, whichever process or proxy receives the request.
    const forwarded = { 'X-Forwarded-Host': 'other.example', 'X-Forwarded-Proto': 'https' };
    const read = async (base: string, proof = '') => {
      const headers = { ...forwarded, authorization: `DPoP ${token}`, DPoP: proof };
      const { status, headers: responseHeaders } = await fetch(`${base}/tickets.json?limit=1`, { headers });
      return [
        status,
        responseHeaders.get('www-authenticate')?.includes('error="invalid_dpop_proof"') ?? false,
      ];
    };
    // While Redis is slow or not connected yet, a process checks a proof alone; later proofs are shared.
    const proofs = Array.from({ length: 60 }, () => key.proof({ url: `${apiUrl}/tickets.json`, token }));
    for (const proof of proofs) expect(await read(first.url, proof)).toEqual([200, false]);
    const patience = { timeout: 10_000, interval: 200 };
    await expect.poll(() => read(second.url, proofs.pop()), patience).toEqual([401, true]);
    await first.stop();
    const restarted = await startApi();
    await expect.poll(() => read(restarted.url, proofs.pop()), patience).toEqual([401, true]);
  });
});

describe('client set-profile', () => {
  test('applies or removes FAPI 2.0 from the next request on', async () => {
    const { clientId, application } = await newMachine();
    const bearer = () => oauth.clientCredentialsGrant(application);
    await expect(bearer()).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(run('client', 'set-profile', clientId, 'none')).toMatchObject({ profile: null });
    expect((await bearer()).token_type).toBe('bearer');
    expect(run('client', 'set-profile', clientId, 'fapi2')).toMatchObject({ profile: 'fapi2' });
    await expect(bearer()).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});
