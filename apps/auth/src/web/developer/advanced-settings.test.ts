import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { LIST, postForm, register, usePortal, web } from './portal.fixture.ts';

async function createJwks(members: { kid?: string; alg?: string } = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const toJwks = (key: object) => JSON.stringify({ keys: [{ ...key, ...members }] });
  return {
    jwks: toJwks(jwk),
    privateJwks: toJwks(await exportJWK(privateKey)),
    privateKey,
    thumbprint: await calculateJwkThumbprint(jwk),
  };
}

const machine = { type: 'machine', name: 'Export' };

onEveryEngine((engine) => {
  const portal = usePortal(engine);

  describe('public keys of an application (RFC 7523 §3)', () => {
    it('make it authenticate with private_key_jwt, without a secret, and can be replaced', async () => {
      const { server, browser } = portal();
      const { jwks } = await createJwks();
      const fields = { type: 'machine', name: 'Export' };
      const { id, secret, path } = await register(browser, { ...fields, jwks }, 'tickets:read');
      expect(secret).toBe('');
      const keysOf = async () => (await server.clients.get(id)).jwks;
      expect(await server.clients.get(id)).toMatchObject({ authMethod: 'private_key_jwt', secrets: [] });
      const others = await createJwks();
      const edit = await browser.open(`${path}/edit`);
      await browser.submit(edit, 'application', { ...fields, scopes: 'tickets:read', jwks: others.jwks });
      expect(await keysOf()).toEqual(JSON.parse(others.jwks));
      const emptied = await browser.submit(await browser.open(`${path}/edit`), 'application', {
        ...fields,
        scopes: 'tickets:read',
        jwks: ' ',
      });
      expect(emptied.status).toBe(400);
      expect(emptied.html).toContain('id="jwks-problem"');
      expect(await keysOf()).toEqual(JSON.parse(others.jwks));
    });

    it('verify its client assertions (OpenID Connect Core §9)', async () => {
      const { server, browser } = portal();
      const { jwks, privateKey } = await createJwks({ kid: 'first' });
      const { id, path } = await register(browser, { ...machine, jwks }, 'tickets:read');
      const requestToken = async (key: typeof privateKey, kid: string) => {
        const authentication = oauth.PrivateKeyJwt({ key, kid });
        const config = await oauth.discovery(new URL(server.url), id, undefined, authentication, {
          execute: [oauth.allowInsecureRequests],
        });
        return oauth.clientCredentialsGrant(config, { scope: 'tickets:read' });
      };
      expect(await requestToken(privateKey, 'first')).toMatchObject({ scope: 'tickets:read' });
      const others = await createJwks({ kid: 'second' });
      await expect(requestToken(others.privateKey, 'first')).rejects.toMatchObject({
        error: 'invalid_client',
      });
      const edit = await browser.open(`${path}/edit`);
      await browser.submit(edit, 'application', { ...machine, scopes: 'tickets:read', jwks: others.jwks });
      await expect(requestToken(privateKey, 'first')).rejects.toMatchObject({ error: 'invalid_client' });
      expect(await requestToken(others.privateKey, 'second')).toMatchObject({ scope: 'tickets:read' });
    });

    it('are shown with id, type, algorithm and thumbprint (RFC 7638), and with snippets that sign assertions', async () => {
      const { browser } = portal();
      const { jwks, thumbprint } = await createJwks({ kid: 'spring-2026', alg: 'ES256' });
      const { path } = await register(browser, { ...machine, jwks }, 'tickets:read');
      const { html } = await browser.open(path);
      for (const shown of ['spring-2026', 'EC · P-256 · ES256', thumbprint]) expect(html).toContain(shown);
      const javascript = await browser.open(`${path}?language=javascript`);
      expect(javascript.html).toContain('process.env.PRIVATE_KEY');
      expect(html).not.toContain('CLIENT_SECRET');
    });

    it('are rejected with algorithms that FAPI 2.0 excludes, if an operator has set the profile (§5.4.1)', async () => {
      const { server, browser } = portal();
      const { jwks } = await createJwks();
      const { id, path } = await register(browser, { ...web, jwks });
      await server.clients.setProfile(id, 'fapi2');
      const edit = await browser.open(`${path}/edit`);
      const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
      const fields = {
        ...web,
        scopes: 'openid',
        redirect_uris: 'http://localhost/callback',
        jwks: JSON.stringify({ keys: [p384] }),
      };
      const rejected = await browser.submit(edit, 'application', fields);
      expect(rejected.status).toBe(400);
      expect(rejected.html).toMatch(/id="jwks-problem">.*Under FAPI 2.0 each key/s);
      expect(rejected.html).toMatch(/id="redirect_uris-problem">.*Under FAPI 2.0 each redirect URI/s);
      expect((await browser.open(path)).html).not.toContain('id="snippet-');
    });

    it('are rejected with an error at their field if they are private, not JSON, or for a single-page application', async () => {
      const { browser } = portal();
      const { jwks, privateJwks } = await createJwks();
      for (const fields of [{ jwks: privateJwks }, { jwks: '{"keys":' }, { type: 'spa', jwks }]) {
        const page = await postForm(browser, { ...web, ...fields });
        expect(page.status).toBe(400);
        expect(page.html).toContain('id="jwks-problem"');
      }
      expect((await browser.open(LIST)).html).not.toContain(web.name);
    });

    it('are ignored when an application with a secret is edited', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const { jwks } = await createJwks();
      const edit = await browser.open(`${path}/edit`);
      expect(edit.html).not.toContain('name="jwks"');
      await browser.submit(edit, 'application', { ...web, scopes: 'openid', jwks });
      expect(await server.clients.get(id)).toMatchObject({ authMethod: 'client_secret_basic', jwks: null });
    });
  });

  describe.each([
    ['backchannel_logout_uri', 'OpenID Connect Back-Channel Logout §2.2', 'backchannelLogoutUri'],
    ['initiate_login_uri', 'OpenID Connect Core §4', 'initiateLoginUri'],
  ] as const)('the %s (%s)', (field, _clause, member) => {
    it('is stored, shown and changed, and rejected with an error at its field', async () => {
      const { server, browser } = portal();
      const uri = 'https://app.example/called';
      const { id, path } = await register(browser, { ...web, [field]: uri });
      const uriOf = async () => (await server.clients.get(id))[member];
      expect(await uriOf()).toBe(uri);
      expect((await browser.open(path)).html).toContain(`<code id="${field}">${uri}</code>`);
      const save = async (value: string) =>
        browser.submit(await browser.open(`${path}/edit`), 'application', {
          ...web,
          scopes: 'openid',
          [field]: value,
        });
      const rejected = await save('http://app.example/called');
      expect(rejected.status).toBe(400);
      expect(rejected.html).toContain(`id="${field}-problem"`);
      expect(await uriOf()).toBe(uri);
      await save('');
      expect(await uriOf()).toBeNull();
    });

    it('is rejected with an error at its field before a type is chosen', async () => {
      const { browser } = portal();
      const page = await postForm(browser, { name: 'Export', [field]: 'http://app.example/called' });
      expect(page.status).toBe(400);
      for (const faulty of ['type', 'redirect_uris', field]) expect(page.html).toContain(`href="#${faulty}"`);
    });
  });

  describe('the algorithm of authorization responses (JARM §3)', () => {
    it('is stored without changing other security settings, shown, and rejected if it is unknown', async () => {
      const { server, browser } = portal();
      const field = 'authorization_signed_response_alg';
      const { id, path } = await register(browser, { ...web, [field]: 'PS256' });
      const securityOf = async () => (await server.clients.get(id)).security;
      expect((await securityOf()).authorizationResponseAlgorithm).toBe('PS256');
      expect((await browser.open(path)).html).toContain(`id="${field}">PS256<`);
      const client = await server.clients.get(id);
      const security = { ...client.security, dpopBoundAccessTokens: true };
      await server.clients.edit(id, { ...client, jwks: undefined, security }, client.version);
      const save = async (alg: string) =>
        browser.submit(await browser.open(`${path}/edit`), 'application', {
          ...web,
          scopes: 'openid',
          [field]: alg,
        });
      const rejected = await save('none');
      expect(rejected.status).toBe(400);
      expect(rejected.html).toContain(`id="${field}-problem"`);
      await save('ES256');
      expect(await securityOf()).toEqual({ ...security, authorizationResponseAlgorithm: 'ES256' });
    });
  });
});
