import * as oauth from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../accounts/account.ts';
import { type Browser, createBrowser, type Page } from '../browser.fixture.ts';
import { authorize, createRequest, redeem } from '../people.fixture.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { API, basic, password, startTestServer, type TestServer } from '../test-server.fixture.ts';

const LIST = '/account/developer/applications';
const REDIRECT_URI = 'https://app.example/callback';
const web = { type: 'web', name: 'Printshop Status', redirect_uris: REDIRECT_URI };

/** The value of a read-only field, as somebody would copy it. */
const fieldOf = ({ html }: Page, id: string) =>
  new RegExp(`id="${id}" value="([^"]*)"`).exec(html)?.[1] ?? '';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let server: TestServer;
  let developer: Account;
  let browser: Browser;

  beforeAll(async () => {
    server = await startTestServer(storage.get(), { config: { maxApplicationsPerAccount: 2 } });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    developer = await server.addAccount({ name: 'Grace Hopper' });
    browser = await signIn(developer);
  });

  async function signIn({ email }: Account): Promise<Browser> {
    const browser = createBrowser(server.url);
    await browser.submit(await browser.open(LIST), 'sign-in', { email, password });
    return browser;
  }

  /** Posts the form that registers an application, with scopes as somebody would tick them. */
  const register = async (fields: Record<string, string>, scopes = ['openid', 'tickets:read']) =>
    browser.submit(await browser.open(`${LIST}/new`), 'application', { ...fields, ...scopesIn(scopes) });
  const scopesIn = ([scopes = '']: readonly string[]) => ({ scopes });

  /** Registers one, and gives its id and secret as the page shows them. */
  async function registered(fields: Record<string, string> = web, scopes?: string[]) {
    const page = await register(fields, scopes);
    expect(page.status).toBe(200);
    const id = fieldOf(page, 'client_id') || page.url.pathname.split('/').at(-1) || '';
    return { id, secret: fieldOf(page, 'client_secret'), path: `${LIST}/${id}`, page };
  }

  const token = (id: string, secret: string) =>
    server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
  const types = async (clientId: string) =>
    (await storage.get().audit.list({ clientId, limit: 100 })).map(({ type }) => type);

  describe('registering an application', () => {
    it('asks people to sign in first, and leads back', async () => {
      const stranger = createBrowser(server.url);
      const page = await stranger.open(`${LIST}/new`);
      expect(page.html).toContain('id="sign-in"');
      const led = await stranger.submit(page, 'sign-in', { email: developer.email, password });
      expect(led.url.pathname).toBe(`${LIST}/new`);
    });

    it('gives a web application an id and a secret, with which openid-client signs people in', async () => {
      const { id, secret } = await registered();
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
      expect(await types(id)).toEqual(expect.arrayContaining(['client.added', 'consent.given']));
    });

    it('gives a machine a secret and no role, until an administrator sets one', async () => {
      const { id, secret, path } = await registered({ type: 'machine', name: 'Export' }, ['tickets:read']);
      const roleIn = async () => {
        const { access_token } = (await (await token(id, secret)).json()) as { access_token: string };
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
    ])('gives what cannot keep a secret none: %s', async (type, redirect_uris) => {
      const { id, secret, page } = await registered({ type, name: 'Board', redirect_uris });
      expect(secret).toBe('');
      expect(page.url.pathname).toBe(`${LIST}/${id}`);
      expect((await server.clients.get(id)).authMethod).toBe('none');
    });

    it('shows what to paste, with the id of the application and the addresses of this server', async () => {
      const { id, path } = await registered();
      const { html, headers } = await browser.open(path);
      for (const snippet of ['snippet-curl', 'snippet-javascript']) {
        const code = html.split(`id="${snippet}"`)[1]?.split('</pre>')[0] ?? '';
        expect(code).toContain(id);
      }
      expect(html).toContain(`${server.url}/token`);
      expect(html).toContain(`${API}/tickets.json`);
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('never shows a secret again', async () => {
      const { secret, path } = await registered();
      for (const page of [
        await browser.open(path),
        await browser.open(LIST),
        await browser.open(`${path}/edit`),
      ])
        expect(page.html).not.toContain(secret);
      expect((await storage.database().dump()).includes(secret)).toBe(false);
      expect(server.logged()).not.toContain(secret);
    });

    it('names everything that is wrong at once, and keeps what was typed', async () => {
      const page = await register({
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

    it('wants to know what is being built, and what it shall be allowed', async () => {
      const untyped = await register({ name: 'Printshop' });
      expect(untyped.status).toBe(400);
      expect(untyped.html).toContain('id="type-problem"');
      expect((await register(web, [''])).status).toBe(400);
    });

    it.each([
      ['web', 'com.example.app:/callback'],
      ['web', 'https://app.example/#fragment'],
      ['spa', 'data:text/html,hi'],
      ['native', 'javascript:alert(1)'],
      ['native', 'myapp:/callback'],
      ['native', 'http://app.example/callback'],
      ['native', 'http://127.0.0.1.evil.example/'],
    ])('refuses for %s the redirect URI %s (RFC 9700 §2.1, RFC 8252 §7, §8.4)', async (type, uri) => {
      const page = await register({ type, name: 'Board', redirect_uris: uri });
      expect(page.status).toBe(400);
      expect(page.html).toContain('id="redirect_uris-problem"');
    });

    it.each(['tickets:delete', 'webhooks:manage', 'root'])(
      'refuses the scope %s to whom nobody vouches for',
      async (scope) => {
        expect((await browser.open(`${LIST}/new`)).html).not.toContain(`value="${scope}"`);
        expect((await register(web, [scope])).status).toBe(400);
      },
    );

    it('ends at as many applications as a person may have', async () => {
      await registered();
      const { path } = await registered();
      const refused = await register(web);
      expect(refused.status).toBe(409);
      expect(refused.html).toContain('id="problems"');
      await browser.submit(await browser.open(`${path}/remove`), 'remove-application');
      expect((await register(web)).status).toBe(200);
    });

    it('is for people whose address is known to be theirs', async () => {
      const stranger = await server.addAccount();
      const unverified = { ...stranger, emailVerified: false, version: stranger.version + 1 };
      await storage.get().accounts.replace(unverified, stranger.version);
      expect((await (await signIn(stranger)).open(LIST)).url.pathname).toBe('/account/verification');
    });
  });

  describe('an application of somebody else', () => {
    it('is not there, in whatever way it is asked for', async () => {
      const { id, path } = await registered();
      const before = await server.clients.get(id);
      const [own] = before.secrets;
      browser = await signIn(await server.addAccount());
      const { path: ownPath } = await registered();
      const ownPage = await browser.open(ownPath);
      for (const address of [
        `${LIST}/%00`,
        `${LIST}/%E0%A4%A`,
        `${LIST}/${'x'.repeat(5_000)}`,
        path,
        `${path}/edit`,
        `${path}/remove`,
        `${LIST}/0199c0de-0000-7000-8000-000000000000`,
      ])
        expect(await browser.open(address)).toMatchObject({
          status: 404,
          html: expect.stringContaining('error-not-found'),
        });
      // With a token that is good for the forms of the session.
      const csrf = /name="csrf" value="([^"]*)"/.exec(ownPage.html)?.[1] ?? '';
      for (const form of ['edit', 'remove', 'secrets', `secrets/${own?.id}/remove`]) {
        const html = `<form id="forged" action="${path}/${form}"></form>`;
        const posted = await browser.submit({ ...ownPage, html }, 'forged', {
          csrf,
          ...web,
          scopes: 'openid',
        });
        expect(posted.status).toBe(404);
      }
      expect(await server.clients.get(id)).toEqual(before);
      expect((await browser.open(LIST)).html).not.toContain(id);
    });
  });

  describe('a form that is not from a page of ours (CSRF)', () => {
    it.each([
      ['', {}],
      ['/:id/edit', {}],
      ['/:id/secrets', {}],
      ['/:id/remove', {}],
    ])('does nothing at %s', async (form) => {
      const { id, path, page } = await registered();
      const before = await server.clients.get(id);
      const action = form === '' ? LIST : path + form.replace('/:id', '');
      const html = `<form id="forged" action="${action}"></form>`;
      const other = await signIn(await server.addAccount());
      const foreign = /name="csrf" value="([^"]*)"/.exec((await other.open(`${LIST}/new`)).html)?.[1] ?? '';
      for (const csrf of ['', 'x', foreign]) {
        const posted = await browser.submit({ ...page, html }, 'forged', { ...web, scopes: 'openid', csrf });
        expect(posted.status).toBe(403);
      }
      expect(await server.clients.get(id)).toEqual(before);
      expect(await Array.fromAsync(server.clients.list(developer.id))).toHaveLength(1);
    });
  });

  describe('editing an application', () => {
    it('changes what it is called and where it leads, and says so', async () => {
      const { id, path } = await registered();
      const page = await browser.open(`${path}/edit`);
      expect(page.html).toContain('value="Printshop Status"');
      const fields = {
        name: 'Printshop',
        home_page: 'https://app.example/',
        redirect_uris: `${REDIRECT_URI}2`,
      };
      const saved = await browser.submit(page, 'application', { ...fields, scopes: 'tickets:read' });
      expect(saved.url.pathname).toBe(path);
      expect(saved.html).toContain('id="notice"');
      expect(await server.clients.get(id)).toMatchObject({
        name: 'Printshop',
        type: 'web',
        homePage: 'https://app.example/',
        redirectUris: [`${REDIRECT_URI}2`],
        scopes: ['tickets:read'],
      });
      expect(await types(id)).toContain('client.changed');
    });

    it('overwrites nothing that was changed in the meantime', async () => {
      const { id, path } = await registered();
      const late = await browser.open(`${path}/edit`);
      await server.clients.setRole(id, null);
      const fields = { name: 'Late', redirect_uris: REDIRECT_URI, scopes: 'openid' };
      const refused = await browser.submit(late, 'application', fields);
      expect(refused.status).toBe(409);
      expect((await server.clients.get(id)).name).toBe('Printshop Status');
      expect((await browser.submit(refused, 'application', fields)).url.pathname).toBe(path);
    });

    it('offers a verified one every scope, and ends its verification with another name', async () => {
      const { id, path } = await registered();
      await server.clients.setVerified(id, true);
      const fields = { name: web.name, redirect_uris: REDIRECT_URI, scopes: 'tickets:delete' };
      await browser.submit(await browser.open(`${path}/edit`), 'application', fields);
      expect(await server.clients.get(id)).toMatchObject({ isVerified: true, scopes: ['tickets:delete'] });
      const page = await browser.open(`${path}/edit`);
      await browser.submit(page, 'application', { ...fields, name: 'Your Bank' });
      expect((await server.clients.get(id)).isVerified).toBe(false);
    });
  });

  describe('the secrets of an application', () => {
    it('work side by side until one is removed, and tell when they were used last', async () => {
      const { id, secret, path } = await registered({ type: 'machine', name: 'Export' }, ['tickets:read']);
      const added = await browser.submit(await browser.open(path), 'add-secret');
      const second = fieldOf(added, 'client_secret');
      expect((await token(id, secret)).status).toBe(200);
      expect((await token(id, second)).status).toBe(200);

      const page = await browser.open(path);
      expect(page.html).not.toContain('id="add-secret"');
      const [first] = (await server.clients.get(id)).secrets;
      expect(page.html).toContain(first?.lastUsedAt?.toISOString() ?? 'never');
      const removed = await browser.submit(page, `remove-secret-${first?.id}`);
      expect(removed.html).toContain('id="notice"');
      expect((await token(id, secret)).status).toBe(401);
      expect((await token(id, second)).status).toBe(200);
      expect(await types(id)).toEqual(
        expect.arrayContaining(['client.secret_added', 'client.secret_removed']),
      );
    });

    it('are two at most', async () => {
      const { path } = await registered();
      const page = await browser.open(path);
      await browser.submit(page, 'add-secret');
      const refused = await browser.submit(page, 'add-secret');
      expect(refused.status).toBe(409);
      expect(refused.html).toContain('id="problems"');
    });

    it('may all be gone: the application is still known, and gets no token', async () => {
      const { id, secret, path } = await registered({ type: 'machine', name: 'Export' }, ['tickets:read']);
      const [only] = (await server.clients.get(id)).secrets;
      await browser.submit(await browser.open(path), `remove-secret-${only?.id}`);
      expect((await token(id, secret)).status).toBe(401);
      expect((await browser.open(path)).html).toContain('id="add-secret"');
    });
  });

  describe('removing an application', () => {
    it('ends at once what was issued to it, and everybody is disconnected', async () => {
      const scopes = ['openid', 'offline_access'];
      const request = { type: 'spa' as const, name: 'Board', scopes, redirectUris: [REDIRECT_URI] };
      const { client } = await server.clients.register(request, { id: developer.id, limit: 2 });
      const [id, path] = [client.id, `${LIST}/${client.id}`];
      const application = await oauth.discovery(new URL(server.url), id, undefined, oauth.None(), {
        execute: [oauth.allowInsecureRequests],
      });
      const { email, id: accountId } = developer;
      const journey = { server, email, accountId, clientId: id, clientSecret: null, browser, application };
      const authorization = await createRequest(journey, { scope: scopes.join(' ') });
      const tokens = await redeem(journey, authorization, await authorize(journey, authorization));
      const refresh = () => oauth.refreshTokenGrant(application, tokens.refresh_token ?? '');

      const list = await browser.submit(await browser.open(`${path}/remove`), 'remove-application');
      expect(list.url.pathname).toBe(LIST);
      expect(list.html).toContain('id="notice"');
      await expect(refresh()).rejects.toMatchObject({ error: 'invalid_client' });
      expect((await browser.open(authorization.url)).html).toContain('error-unknown-client');
      expect((await browser.open(path)).status).toBe(404);
      expect(await types(id)).toContain('client.removed');

      // Not for want of a client alone: nothing is left of what it was given.
      await storage.get().clients.insert(client);
      await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant' });
      const userInfo = oauth.fetchUserInfo(application, tokens.access_token, accountId);
      await expect(userInfo).rejects.toMatchObject({ status: 401 });
    });
  });
});
