import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../storage/engines.fixture.ts';
import { LIST, postForm, register, usePortal, web } from './portal.fixture.ts';

async function createJwks(): Promise<{ jwks: string; privateJwks: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const toJwks = (key: typeof publicKey) => JSON.stringify({ keys: [key.export({ format: 'jwk' })] });
  return { jwks: toJwks(publicKey), privateJwks: toJwks(privateKey) };
}

onEveryEngine((engine) => {
  const portal = usePortal(engine);

  describe('public keys of an application (RFC 7523 §3)', () => {
    it('make it authenticate by private_key_jwt, without a secret, and can be replaced', async () => {
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

    it('are refused at their field when they are private, no JSON, or for an application in a browser', async () => {
      const { browser } = portal();
      const { jwks, privateJwks } = await createJwks();
      for (const fields of [{ jwks: privateJwks }, { jwks: '{"keys":' }, { type: 'spa', jwks }]) {
        const page = await postForm(browser, { ...web, ...fields });
        expect(page.status).toBe(400);
        expect(page.html).toContain('id="jwks-problem"');
      }
      expect((await browser.open(LIST)).html).not.toContain(web.name);
    });

    it('are not taken by the edit of an application with a secret', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const { jwks } = await createJwks();
      const edit = await browser.open(`${path}/edit`);
      expect(edit.html).not.toContain('name="jwks"');
      await browser.submit(edit, 'application', { ...web, scopes: 'openid', jwks });
      expect(await server.clients.get(id)).toMatchObject({ authMethod: 'client_secret_basic', jwks: null });
    });
  });

  describe('the back-channel log-out URI (OpenID Connect Back-Channel Logout §2.2)', () => {
    it('is kept, changed and refused at its field', async () => {
      const { server, browser } = portal();
      const uri = 'https://app.example/log-out';
      const { id, path } = await register(browser, { ...web, backchannel_logout_uri: uri });
      const uriOf = async () => (await server.clients.get(id)).backchannelLogoutUri;
      expect(await uriOf()).toBe(uri);
      const save = async (backchannel_logout_uri: string) =>
        browser.submit(await browser.open(`${path}/edit`), 'application', {
          ...web,
          scopes: 'openid',
          backchannel_logout_uri,
        });
      const refused = await save('http://app.example/log-out');
      expect(refused.status).toBe(400);
      expect(refused.html).toContain('id="backchannel_logout_uri-problem"');
      expect(await uriOf()).toBe(uri);
      await save('');
      expect(await uriOf()).toBeNull();
    });
  });
});
