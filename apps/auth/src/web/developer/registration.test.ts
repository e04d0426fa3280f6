import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { authorize, createRequest, redeem } from '../../tests/people.fixture.ts';
import { API, password } from '../../tests/test-server.fixture.ts';
import { fieldOf, LIST, postForm, REDIRECT_URI, register, signIn, usePortal, web } from './portal.fixture.ts';

onEveryEngine((engine) => {
  const portal = usePortal(engine);

  describe('registering an application', () => {
    it('asks users to sign in first, and returns to the form', async () => {
      const { server, developer } = portal();
      const stranger = createBrowser(server.url);
      const page = await stranger.open(`${LIST}/new`);
      expect(page.html).toContain('id="sign-in"');
      const led = await stranger.submit(page, 'sign-in', { email: developer.email, password });
      expect(led.url.pathname).toBe(`${LIST}/new`);
    });

    it('gives a web application an id and a secret, with which openid-client signs users in', async () => {
      const { server, browser, recordedTypes } = portal();
      const { id, secret } = await register(browser);
      const authentication = oauth.ClientSecretBasic(secret);
      const application = await oauth.discovery(new URL(server.url), id, undefined, authentication, {
        execute: [oauth.allowInsecureRequests],
      });
      const { email, id: accountId } = await server.addAccount({ role: 'agent' });
      const person = { browser: createBrowser(server.url), email, accountId, application };
      const journey = { ...person, server, clientId: id, clientSecret: secret };
      const request = await createRequest(journey, { scope: 'openid', prompt: '' });
      const tokens = await redeem(journey, request, await authorize(journey, request));
      expect(tokens.claims()?.sub).toBe(accountId);
      expect(await recordedTypes(id)).toEqual(expect.arrayContaining(['client.added', 'consent.given']));
    });

    it('gives a machine client a secret, and no role until an administrator sets one', async () => {
      const { server, browser, requestToken } = portal();
      const { id, secret, path } = await register(
        browser,
        { type: 'machine', name: 'Export' },
        'tickets:read',
      );
      const roleIn = async () => {
        const { access_token } = (await (await requestToken(id, secret)).json()) as { access_token: string };
        return JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).role;
      };
      expect(await roleIn()).toBeUndefined();
      expect((await browser.open(path)).html).toContain('id="role"');
      await server.clients.setRole(id, 'agent');
      expect(await roleIn()).toBe('agent');
    });

    it.each([
      ['spa', REDIRECT_URI],
      ['native', 'com.example.board:/callback\nhttp://127.0.0.1/callback'],
    ])('gives a public client no secret: %s', async (type, redirect_uris) => {
      const { server, browser } = portal();
      const { id, secret, page } = await register(browser, { type, name: 'Board', redirect_uris });
      expect(secret).toBe('');
      expect(page.url.pathname).toBe(`${LIST}/${id}`);
      expect((await server.clients.get(id)).authMethod).toBe('none');
    });

    it('shows code snippets with the id of the application and the URLs of this server', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser, web, 'tickets:read');
      const { html, headers } = await browser.open(path);
      const shown = async (language: string) => {
        const page = await browser.open(`${path}?language=${language}`);
        return page.html.split(`id="snippet-${language}"`)[1]?.split('</pre>')[0] ?? '';
      };
      for (const language of ['curl', 'javascript', 'python', 'go', 'java'])
        expect(await shown(language)).toContain(id);
      expect(html).toContain('id="snippet-curl"');
      for (const unsuitable of ['swift', 'x', '__proto__'])
        expect((await browser.open(`${path}?language=${unsuitable}`)).html).toContain('id="snippet-curl"');
      expect(await shown('curl')).toContain(`${server.url}/token`);
      expect(await shown('python')).toContain(`${API}/tickets.json`);
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('shows every URL that a client library of its type needs', async () => {
      const { server, browser } = portal();
      const { path } = await register(browser);
      const { html } = await browser.open(path);
      for (const [id, address] of Object.entries({
        issuer: server.url,
        discovery_url: `${server.url}/.well-known/openid-configuration`,
        authorization_endpoint: `${server.url}/auth`,
        token_endpoint: `${server.url}/token`,
        userinfo_endpoint: `${server.url}/me`,
        jwks_uri: `${server.url}/jwks`,
        api_base_url: API,
      }))
        expect(html).toContain(`<code id="${id}">${address}</code>`);
      const machine = await register(browser, { type: 'machine', name: 'Export' }, 'tickets:read');
      expect((await browser.open(machine.path)).html).not.toContain('id="authorization_endpoint"');
    });

    it('never shows a secret again', async () => {
      const { server, storage, browser } = portal();
      const { secret, path } = await register(browser);
      for (const page of [
        await browser.open(path),
        await browser.open(LIST),
        await browser.open(`${path}/edit`),
      ])
        expect(page.html).not.toContain(secret);
      expect((await storage.database().dump()).includes(secret)).toBe(false);
      expect(server.logged()).not.toContain(secret);
    });

    it('happens once per form, even if a browser sends it several times concurrently', async () => {
      const { server, developer, browser } = portal();
      const form = await browser.open(`${LIST}/new`);
      const send = () => browser.submit(form, 'application', { ...web, scopes: 'openid' });
      const answers = await Promise.all([send(), send(), send(), send()]);
      expect(answers.filter((page) => fieldOf(page, 'client_secret') !== '')).toHaveLength(1);
      const reloaded = await send();
      expect(reloaded.url.pathname).toBe(LIST);
      expect(reloaded.html).toContain('id="notice"');
      expect(await Array.fromAsync(server.clients.list(developer.id))).toHaveLength(1);
    });

    it('shows all faults at once, and keeps the input', async () => {
      const { browser } = portal();
      const page = await postForm(browser, {
        type: 'web',
        name: ' ',
        home_page: 'javascript:alert(1)',
        redirect_uris: 'http://app.example/callback\njavascript:alert(2)',
      });
      expect(page.status).toBe(400);
      for (const field of ['name', 'home_page', 'redirect_uris'])
        expect(page.html).toContain(`id="${field}-problem"`);
      expect(page.html).toContain('http://app.example/callback');
    });

    it('shows all faults that are independent of the type, before a type is chosen', async () => {
      const { browser } = portal();
      const wrong = { name: ' ', policy_uri: 'javascript:alert(1)', redirect_uris: 'javascript:alert(2)' };
      const page = await postForm(browser, wrong, '');
      expect(page.status).toBe(400);
      for (const field of ['type', 'name', 'policy_uri', 'redirect_uris', 'scopes'])
        expect(page.html).toContain(`-problem"><p class="problem">`.replace('-problem', `${field}-problem`));
      const dependsOnType = await postForm(browser, { name: 'Board', redirect_uris: 'com.example.board:/x' });
      expect(dependsOnType.html).not.toContain('“com.example.board:/x”');
    });

    it('requires a type and a scope', async () => {
      const { browser } = portal();
      const untyped = await postForm(browser, { name: 'Printshop' });
      expect(untyped.status).toBe(400);
      expect(untyped.html).toContain('id="type-problem"');
      expect((await postForm(browser, web, '')).status).toBe(400);
    });

    it('accepts http redirect URIs only on loopback, and suggests them', async () => {
      const { browser } = portal();
      for (const type of ['web', 'spa']) {
        const local = await postForm(browser, {
          type,
          name: 'Board',
          redirect_uris: 'http://localhost:5173/',
        });
        expect(local.status).toBe(200);
        const rejected = await postForm(browser, {
          type,
          name: 'Board',
          redirect_uris: 'http://app.example/',
        });
        expect([rejected.status, rejected.html.includes('http://localhost')]).toEqual([400, true]);
      }
    });

    it.each([
      ['web', 'com.example.app:/callback'],
      ['web', 'https://app.example/#fragment'],
      ['spa', 'data:text/html,hi'],
      ['native', 'javascript:alert(1)'],
      ['native', 'myapp:/callback'],
      ['native', 'http://app.example/callback'],
      ['native', 'http://127.0.0.1.evil.example/'],
    ])('rejects for %s the redirect URI %s (RFC 9700 §2.1, RFC 8252 §7, §8.4)', async (type, uri) => {
      const { browser } = portal();
      const page = await postForm(browser, { type, name: 'Board', redirect_uris: uri });
      expect(page.status).toBe(400);
      expect(page.html).toContain('id="redirect_uris-problem"');
    });

    it.each(['tickets:delete', 'webhooks:manage', 'root'])(
      'neither offers nor accepts the scope %s for an unverified application',
      async (scope) => {
        const { browser } = portal();
        expect((await browser.open(`${LIST}/new`)).html).not.toContain(`value="${scope}"`);
        expect((await postForm(browser, web, scope)).status).toBe(400);
      },
    );

    it('is rejected once the user has the maximum number of applications', async () => {
      const { browser } = portal();
      await register(browser);
      const { path } = await register(browser);
      const rejected = await postForm(browser, web);
      expect(rejected.status).toBe(409);
      expect(rejected.html).toContain('id="problems"');
      await browser.submit(await browser.open(`${path}/remove`), 'remove-application');
      expect((await postForm(browser, web)).status).toBe(200);
    });

    it('requires a verified e-mail address', async () => {
      const { server, storage } = portal();
      const stranger = await server.addAccount();
      const unverified = { ...stranger, emailVerified: false, version: stranger.version + 1 };
      await storage.get().accounts.replace(unverified, stranger.version);
      expect((await (await signIn(server, stranger)).open(LIST)).url.pathname).toBe('/account/verification');
    });
  });
});
