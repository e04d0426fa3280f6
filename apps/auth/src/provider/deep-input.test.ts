import { useStarted } from '@keydesk/testing';
import { CompactSign, type CryptoKey } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { ASSERTION_TYPE } from '../tests/machine-clients.fixture.ts';
import { type KeyJourney, newRequest, push, startKeyJourney } from '../tests/signing-clients.fixture.ts';
import { startTestServer } from '../tests/test-server.fixture.ts';

const now = () => Math.floor(Date.now() / 1000);

/** Serializes claims, one of which is a nested array too deep for JSON.stringify. */
function nested({ deep = 'deep', ...claims }: { deep?: string; [name: string]: unknown }, depth: number) {
  const { [deep]: _, ...others } = claims;
  return JSON.stringify({ ...others, [deep]: 0 }).replace(/0}$/, `${'['.repeat(depth)}${']'.repeat(depth)}}`);
}

const sign = (claims: string, { alg, key }: { alg: string; key: CryptoKey }, typ: string) =>
  new CompactSign(Buffer.from(claims)).setProtectedHeader({ alg, typ }).sign(key);

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let signer: KeyJourney;
  beforeAll(async () => {
    signer = await startKeyJourney(server);
  });

  const forServer = (claims: object = {}) => ({
    iss: signer.clientId,
    aud: server.url,
    nbf: now(),
    exp: now() + 60,
    ...claims,
  });

  const assertion = async (depth: number) => ({
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await sign(
      nested(forServer({ sub: signer.clientId, jti: crypto.randomUUID() }), depth),
      signer.key,
      'JWT',
    ),
  });

  async function requestObject(depth: number, deep = 'deep'): Promise<string> {
    const { parameters } = await newRequest(signer);
    return sign(nested({ ...forServer(parameters), deep }, depth), signer.key, 'oauth-authz-req+jwt');
  }

  describe('a JWT that is nested too deep to copy', () => {
    it('is rejected as a request object, with a page', async () => {
      const query = new URLSearchParams({
        client_id: signer.clientId,
        request: await requestObject(5_200),
      });
      const response = await fetch(`${server.url}/auth?${query}`, { headers: { Accept: 'text/html' } });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('invalid_request');
    });

    it.each(['resource', 'claims', 'scope', 'state', 'aud'])(
      'causes no server error as a request object at any depth of its %s',
      async (name) => {
        for (let depth = 1_000; depth < 5_500; depth += 500) {
          const request = await requestObject(depth, name);
          const query = new URLSearchParams({ client_id: signer.clientId, request });
          const { status } = await fetch(`${server.url}/auth?${query}`, { redirect: 'manual' });
          expect(status).toBeLessThan(500);
          const form = { client_id: signer.clientId, request: await requestObject(depth * 3, name) };
          expect((await push(server, { ...form, ...(await assertion(1)) })).status).toBe(400);
        }
      },
    );

    it('is rejected as a pushed request object', async () => {
      const form = { client_id: signer.clientId, request: await requestObject(15_000) };
      expect(await push(server, { ...form, ...(await assertion(1)) })).toMatchObject({
        status: 400,
        error: 'invalid_request',
      });
    });

    it.each(['/token', '/request', '/token/introspection', '/token/revocation'])(
      'is rejected as a client assertion at %s',
      async (path) => {
        const body = new URLSearchParams({ token: 'any', ...(await assertion(15_000)) });
        body.set('grant_type', 'authorization_code');
        const response = await fetch(server.url + path, { method: 'POST', body });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: 'invalid_request' });
      },
    );

    it('is not logged as a server error and leaves no stack in the log', () => {
      expect(server.logged()).not.toContain('Maximum call stack');
      expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
    });
  });
});
