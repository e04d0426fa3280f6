import { randomUUID } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { type CryptoKey, createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { UsedStorage } from '../storage/engines.fixture.ts';
import { API, startTestServer, type TestServer } from './test-server.fixture.ts';

export const grant = { grant_type: 'client_credentials' };
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
export const INVALID_CLIENT = {
  error: 'invalid_client',
  error_description: 'client authentication failed',
};

export type MachineClients = ReturnType<typeof useMachineClients>;

/** Runs a server for a suite, and collects every secret that its machine clients use. */
export function useMachineClients(storage: UsedStorage) {
  const server = useStarted(() => startTestServer(storage.get()));
  /** Secrets, tokens and assertions of this run, which must not leak. */
  const secrets = new Set<string>();

  async function addClient(request?: Parameters<TestServer['addClient']>[0]) {
    const client = await server.addClient(request);
    if (client.secret !== null) secrets.add(client.secret);
    return client;
  }

  async function answerOf(response: Response): Promise<{ status: number; body: Record<string, unknown> }> {
    const body = (await response.json()) as Record<string, unknown>;
    if (typeof body.access_token === 'string') secrets.add(body.access_token);
    return { status: response.status, body };
  }

  async function requestToken(...args: Parameters<TestServer['requestToken']>) {
    return answerOf(await server.requestToken(...args));
  }

  async function verify(token: unknown) {
    const keys = createRemoteJWKSet(new URL(`${server.url}/jwks`));
    return jwtVerify(String(token), keys, {
      issuer: server.url,
      audience: API,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
  }

  /** Adds a client with its own key pair. `assert` signs an assertion that is valid except for the given claims. */
  async function addKeyClient(alg: string) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key-1', alg, use: 'sig' }] };
    const { id } = await addClient({ jwks });
    const assert = async (claims: Record<string, unknown> = {}, key: CryptoKey | Uint8Array = privateKey) => {
      const now = Math.floor(Date.now() / 1000);
      const good = { iss: id, sub: id, aud: server.url, exp: now + 60, iat: now, jti: randomUUID() };
      const header = { alg: key instanceof Uint8Array ? 'HS256' : alg, kid: 'key-1' };
      const assertion = await new SignJWT({ ...good, ...claims }).setProtectedHeader(header).sign(key);
      secrets.add(assertion);
      return assertion;
    };
    const present = (assertion: string) =>
      requestToken({ ...grant, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion });
    return { id, privateKey, assert, present };
  }

  return { server, secrets, addClient, answerOf, requestToken, verify, addKeyClient };
}

/** Checks that no secret of the run leaked; has to be the last suite. */
export function expectNoLeakedSecrets(storage: UsedStorage, { server, secrets }: MachineClients): void {
  describe('the log', () => {
    it('contains no secret, token or assertion of this run', () => {
      expect(secrets.size).toBeGreaterThan(20);
      const leaked = [...secrets].filter((secret) => server.logged().includes(secret));
      expect(leaked).toEqual([]);
    });

    it('contains no server error', () => {
      expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
    });
  });

  describe('the database', () => {
    it('contains no secret and no token, only digests', async () => {
      const dump = await storage.database().dump();
      expect([...secrets].filter((secret) => dump.includes(secret))).toEqual([]);
    });
  });
}
