import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  ASSERTION_TYPE,
  expectNoLeakedSecrets,
  grant,
  INVALID_CLIENT,
  useMachineClients,
} from '../../tests/machine-clients.fixture.ts';
import { basic } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const machines = useMachineClients(storage);
  const { server, secrets, addClient, answerOf, requestToken, addKeyClient } = machines;

  describe('client authentication (RFC 6749 §2.3, §5.2)', () => {
    it('rejects a wrong secret, with a challenge for the scheme that was used', async () => {
      const { id, secret } = await addClient();
      const wrong = `${secret?.slice(0, -1)}${secret?.endsWith('0') ? '1' : '0'}`;
      const response = await server.requestToken(grant, basic(id, wrong));
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      expect(await answerOf(response)).toEqual({ status: 401, body: INVALID_CLIENT });
      const posted = await requestToken({ ...grant, client_id: id, client_secret: wrong });
      expect(posted).toEqual({ status: 401, body: INVALID_CLIENT });
    });

    it('rejects the secret of another client', async () => {
      const [{ id }, { secret }] = [await addClient(), await addClient()];
      expect((await requestToken(grant, basic(id, secret))).body).toEqual(INVALID_CLIENT);
    });

    it('rejects the placeholder that oidc-provider holds instead of the secret', async () => {
      const { id } = await addClient();
      expect((await requestToken(grant, basic(id, 'kept-as-a-digest'))).body).toEqual(INVALID_CLIENT);
    });

    it('rejects an unknown client with the same response', async () => {
      const { secret } = await addClient();
      expect(await requestToken(grant, basic(randomUUID(), secret))).toEqual({
        status: 401,
        body: INVALID_CLIENT,
      });
    });

    it('rejects a client without any authentication', async () => {
      const { id } = await addClient();
      expect((await requestToken({ ...grant, client_id: id })).body).toEqual(INVALID_CLIENT);
      expect((await requestToken(grant)).status).toBe(400);
    });

    it('rejects a client while it is disabled', async () => {
      const { id, secret } = await addClient();
      expect((await requestToken(grant, basic(id, secret))).status).toBe(200);
      await server.clients.setStatus(id, 'disabled');
      expect((await requestToken(grant, basic(id, secret))).body).toEqual(INVALID_CLIENT);
      await server.clients.setStatus(id, 'active');
      expect((await requestToken(grant, basic(id, secret))).status).toBe(200);
    });

    it('rejects a client as soon as another process disables it', async () => {
      const other = (await storage.openAnother()).clients;
      const { client, id, secret } = await addClient();
      expect((await requestToken(grant, basic(id, secret))).status).toBe(200);
      const { version } = client;
      await other.replace({ ...client, status: 'disabled', version: version + 1 }, version);
      expect((await requestToken(grant, basic(id, secret))).body).toEqual(INVALID_CLIENT);
    });

    it('rejects a client as soon as it is removed', async () => {
      const { id, secret } = await addClient();
      expect((await requestToken(grant, basic(id, secret))).status).toBe(200);
      await server.clients.remove(id);
      expect((await requestToken(grant, basic(id, secret))).body).toEqual(INVALID_CLIENT);
    });

    it('rejects two methods at once (§2.3)', async () => {
      const { id, secret } = await addClient();
      const { status, body } = await requestToken(
        { ...grant, client_id: id, client_secret: secret ?? '' },
        basic(id, secret),
      );
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    });

    it('accepts both secrets during a rotation, and the old one only for the overlap', async () => {
      const { id, secret: old } = await addClient();
      const { secret } = await server.clients.rotateSecret(id, 10);
      if (secret) secrets.add(secret);
      const statuses = () =>
        Promise.all([old, secret].map(async (s) => (await requestToken(grant, basic(id, s))).status));
      expect(await statuses()).toEqual([200, 200]);
      server.time.ahead = 11_000;
      expect(await statuses()).toEqual([401, 200]);
      server.time.ahead = 0;
    });

    it('records the last use of each secret', async () => {
      const { id, secret } = await addClient();
      await requestToken(grant, basic(id, secret));
      await expect
        .poll(async () => (await server.clients.get(id)).secrets[0]?.lastUsedAt)
        .toBeInstanceOf(Date);
    });
  });

  describe('a client assertion (RFC 7523 §3)', () => {
    it('is accepted only once', async () => {
      const { assert, present } = await addKeyClient('ES256');
      const assertion = await assert();
      expect((await present(assertion)).status).toBe(200);
      expect((await present(assertion)).body).toEqual(INVALID_CLIENT);
    });

    it.each([
      ['for another audience', { aud: 'https://other.example' }],
      ['for no audience', { aud: undefined }],
      ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }],
      ['that never expires', { exp: undefined }],
      ['that expires in more than an hour', { exp: Math.floor(Date.now() / 1000) + 4_000 }],
      ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 300 }],
      ['with an iat in the future', { iat: Math.floor(Date.now() / 1000) + 300 }],
      ['without a jti', { jti: undefined }],
      ['of another issuer', { iss: 'somebody else' }],
    ])('is rejected %s', async (_, claims) => {
      const { assert, present } = await addKeyClient('ES256');
      expect(await present(await assert(claims))).toEqual({ status: 401, body: INVALID_CLIENT });
    });

    it('is rejected if another key signed it', async () => {
      const [{ assert, present }, { privateKey }] = [
        await addKeyClient('ES256'),
        await addKeyClient('ES256'),
      ];
      expect((await present(await assert({}, privateKey))).body).toEqual(INVALID_CLIENT);
    });

    it('is rejected without a signature (RFC 8725 §3.2)', async () => {
      const { assert, present } = await addKeyClient('ES256');
      const [, payload] = (await assert()).split('.');
      const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
      expect((await present(`${header}.${payload}.`)).body).toEqual(INVALID_CLIENT);
    });

    it('is rejected if it is signed with a secret, because client_secret_jwt is off', async () => {
      const { id, secret } = await addClient();
      const { assert, present } = await addKeyClient('ES256');
      const claims = { iss: id, sub: id };
      for (const key of [secret ?? '', 'kept-as-a-digest'])
        expect((await present(await assert(claims, Buffer.from(key)))).body).toEqual(INVALID_CLIENT);
    });

    it('is rejected for an audience that only the Host header names', async () => {
      const { assert } = await addKeyClient('ES256');
      const status = await statusWithHost(server.url, 'evil.example', {
        ...grant,
        client_assertion_type: ASSERTION_TYPE,
        client_assertion: await assert({ aud: 'http://evil.example/token' }),
      });
      expect(status).toBe(401);
    });
  });

  expectNoLeakedSecrets(storage, machines);
});

/** Returns the status of a request with an arbitrary `Host` header, which fetch would not send. */
async function statusWithHost(
  url: string,
  host: string,
  form: Record<string, string>,
): Promise<number | undefined> {
  const headers = { Host: host, 'Content-Type': 'application/x-www-form-urlencoded' };
  const sent = request(`${url}/token`, { method: 'POST', headers }).end(new URLSearchParams(form).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
