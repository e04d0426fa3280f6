import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { png } from '../logo/image.fixture.ts';
import { tokenOf, uriOf, useRegistrationServer, web } from './registration-server.fixture.ts';

onEveryEngine((engine) => {
  const { server, storage, addToken, send, register } = useRegistrationServer(engine);

  describe('a registered client managed with its registration access token (RFC 7592)', () => {
    it('is read without its secret (§2.1)', async () => {
      const registered = await register(web);
      const { status, headers, body } = await send('GET', uriOf(registered), tokenOf(registered));
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      const { client_secret, client_secret_expires_at, ...rest } = registered.body;
      expect(body).toEqual(rest);
    });

    it('is updated, and its token is replaced (§2.2)', async () => {
      const registered = await register(web);
      const { client_id, client_secret } = registered.body;
      const changed = await send('PUT', uriOf(registered), tokenOf(registered), {
        client_id,
        client_secret,
        client_name: 'Printshop 2',
        redirect_uris: ['https://app.example/other'],
      });
      expect([changed.status, changed.body.client_name]).toEqual([200, 'Printshop 2']);
      expect(tokenOf(changed)).not.toBe(tokenOf(registered));
      expect((await send('GET', uriOf(registered), tokenOf(registered))).status).toBe(401);
      const read = await send('GET', uriOf(registered), tokenOf(changed));
      expect(read.body.redirect_uris).toEqual(['https://app.example/other']);
    });

    it('loses the members that an update omits (§2.2)', async () => {
      const pages = { policy_uri: 'https://app.example/privacy', tos_uri: 'https://app.example/terms' };
      const registered = await register({ ...web, ...pages });
      const { client_id } = registered.body;
      const changed = await send('PUT', uriOf(registered), tokenOf(registered), { client_id, ...web });
      expect(changed.status).toBe(200);
      for (const member of Object.keys(pages)) expect(changed.body).not.toHaveProperty(member);
    });

    const jwks = () => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: randomUUID() }] };
    };

    it('keeps the security profile that the operator has set', async () => {
      const metadata = { ...web, token_endpoint_auth_method: 'private_key_jwt', jwks: jwks() };
      const registered = await register(metadata);
      const client_id = String(registered.body.client_id);
      await server.clients.setProfile(client_id, 'fapi2');
      const next = { ...metadata, client_id, client_name: 'Printshop 2' };
      expect((await send('PUT', uriOf(registered), tokenOf(registered), next)).status).toBe(200);
      expect((await server.clients.get(client_id)).security.profile).toBe('fapi2');
    });

    it('is not updated with metadata that repeats a name (RFC 8259 §4)', async () => {
      const registered = await register(web);
      const { client_id } = registered.body;
      const text = JSON.stringify({ ...web, client_id }).replace('{', '{"client_name":"Bank",');
      const { status, body } = await send('PUT', uriOf(registered), tokenOf(registered), text);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect((await server.clients.get(String(client_id))).name).toBe('Printshop');
    });

    it('keeps PKCE optional if the operator has set it so', async () => {
      const registered = await register(web);
      const client_id = String(registered.body.client_id);
      const { name, scopes, redirectUris, version } = await server.clients.get(client_id);
      const security = { isPkceOptional: true };
      await server.clients.edit(client_id, { name, scopes, redirectUris, security }, version);
      const next = { ...web, client_id, client_name: 'Printshop 2' };
      expect((await send('PUT', uriOf(registered), tokenOf(registered), next)).status).toBe(200);
      expect((await server.clients.get(client_id)).security.isPkceOptional).toBe(true);
    });

    it('can replace its keys', async () => {
      const metadata = { ...web, token_endpoint_auth_method: 'private_key_jwt', jwks: jwks() };
      const registered = await register(metadata);
      const next = { ...metadata, client_id: registered.body.client_id, jwks: jwks() };
      const changed = await send('PUT', uriOf(registered), tokenOf(registered), next);
      expect(changed.body.jwks).toEqual(next.jwks);
    });

    it.each([
      ['the client_id of another client', { client_id: 'other' }],
      ['another secret', { client_secret: 'kdcs_wrong' }],
      ['a registration access token', { registration_access_token: 'x' }],
      ['an expiry of its secret', { client_secret_expires_at: 0 }],
      ['an unsafe redirect URI', { redirect_uris: ['http://app.example/'] }],
      ['another authentication method', { token_endpoint_auth_method: 'none' }],
    ])('is not updated with %s, and its token stays valid', async (_, metadata) => {
      const registered = await register(web);
      const { client_id } = registered.body;
      const answer = await send('PUT', uriOf(registered), tokenOf(registered), {
        client_id,
        ...web,
        ...metadata,
      });
      expect(answer.status).toBe(400);
      const read = await send('GET', uriOf(registered), tokenOf(registered));
      expect(read.body).toMatchObject(web);
    });

    it('is removed, and its registration access token is invalid (§2.3)', async () => {
      const registered = await register(web);
      expect((await send('DELETE', uriOf(registered), tokenOf(registered))).status).toBe(204);
      expect((await send('GET', uriOf(registered), tokenOf(registered))).status).toBe(401);
      await expect(server.clients.get(String(registered.body.client_id))).rejects.toThrow('does not exist');
      expect(await storage.get().registrations.find(String(registered.body.client_id))).toBeUndefined();
    });

    it('ignores logo_uri, keeps its uploaded logo on updates, and loses it on removal', async () => {
      const logo_uri = 'https://app.example/logo.png';
      const registered = await register({ ...web, logo_uri });
      const client_id = String(registered.body.client_id);
      const { logoDigest } = await server.clients.setLogo(client_id, png());
      const next = { ...web, client_id, logo_uri };
      const changed = await send('PUT', uriOf(registered), tokenOf(registered), next);
      for (const { body } of [registered, changed]) expect(body).not.toHaveProperty('logo_uri');
      expect(await server.clients.get(client_id)).toMatchObject({ logoDigest });
      expect((await send('DELETE', uriOf(registered), tokenOf(changed))).status).toBe(204);
      expect(await storage.get().clients.findLogo(client_id)).toBeUndefined();
    });

    it('is not accessible with the token of another client or without a token (§2)', async () => {
      const [mine, other] = [await register(web), await register(web)];
      const { token: initialToken } = await addToken();
      for (const token of [tokenOf(other), initialToken, 'x', undefined])
        for (const method of ['GET', 'PUT', 'DELETE'])
          expect((await send(method, uriOf(mine), token, method === 'PUT' ? {} : undefined)).status).toBe(
            401,
          );
      const unknown = `${server.url}/reg/${uuidv7()}`;
      expect((await send('GET', unknown, tokenOf(mine))).body).toEqual(
        (await send('GET', uriOf(mine), tokenOf(other))).body,
      );
    });

    it('is not accessible while an operator has disabled it (§2.1)', async () => {
      const registered = await register(web);
      await server.clients.setStatus(String(registered.body.client_id), 'disabled');
      expect((await send('GET', uriOf(registered), tokenOf(registered))).status).toBe(403);
    });

    it('is updated by exactly one of several concurrent requests', async () => {
      const registered = await register(web);
      const metadata = { ...web, client_id: registered.body.client_id };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => send('PUT', uriOf(registered), tokenOf(registered), metadata)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status } of answers) expect(status).toBeLessThan(500);
    });

    it('answers other methods with 405', async () => {
      const { status, headers } = await send('PATCH', '/reg/x', undefined);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE']);
    });
  });
});
