import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { authorize, createRequest, redeem } from '../../tests/people.fixture.ts';
import { csrfIn, fieldOf, LIST, REDIRECT_URI, register, signIn, usePortal, web } from './portal.fixture.ts';

onEveryEngine((engine) => {
  const portal = usePortal(engine);

  describe('an application of another user', () => {
    it('is answered with 404 on every page and form', async () => {
      const { server } = portal();
      let { browser } = portal();
      const { id, path } = await register(browser);
      const before = await server.clients.get(id);
      const [own] = before.secrets;
      browser = await signIn(server, await server.addAccount());
      const { path: ownPath } = await register(browser);
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
      // With a valid CSRF token of the session.
      const csrf = csrfIn(ownPage);
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

  describe('a form of another site (CSRF)', () => {
    it.each([
      ['', {}],
      ['/:id/edit', {}],
      ['/:id/secrets', {}],
      ['/:id/remove', {}],
    ])('is rejected at %s', async (form) => {
      const { server, developer, browser } = portal();
      const { id, path, page } = await register(browser);
      const before = await server.clients.get(id);
      const action = form === '' ? LIST : path + form.replace('/:id', '');
      const html = `<form id="forged" action="${action}"></form>`;
      const other = await signIn(server, await server.addAccount());
      const foreign = csrfIn(await other.open(`${LIST}/new`));
      for (const csrf of ['', 'x', foreign]) {
        const posted = await browser.submit({ ...page, html }, 'forged', { ...web, scopes: 'openid', csrf });
        expect(posted.status).toBe(403);
      }
      expect(await server.clients.get(id)).toEqual(before);
      expect(await Array.fromAsync(server.clients.list(developer.id))).toHaveLength(1);
    });
  });

  describe('editing an application', () => {
    it('changes its name and URLs, and confirms the change', async () => {
      const { server, browser, recordedTypes } = portal();
      const { id, path } = await register(browser);
      const page = await browser.open(`${path}/edit`);
      expect(page.html).toContain('value="Printshop Status"');
      const fields = {
        name: 'Printshop',
        home_page: 'https://app.example/',
        policy_uri: 'https://app.example/privacy',
        tos_uri: ' ',
        redirect_uris: `${REDIRECT_URI}2`,
      };
      const saved = await browser.submit(page, 'application', { ...fields, scopes: 'tickets:read' });
      expect(saved.url.pathname).toBe(path);
      expect(saved.html).toContain('id="notice"');
      expect(await server.clients.get(id)).toMatchObject({
        name: 'Printshop',
        type: 'web',
        homePage: 'https://app.example/',
        policyUri: 'https://app.example/privacy',
        tosUri: null,
        redirectUris: [`${REDIRECT_URI}2`],
        scopes: ['tickets:read'],
      });
      expect(await recordedTypes(id)).toContain('client.changed');
    });

    it('does not overwrite a concurrent change', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const late = await browser.open(`${path}/edit`);
      await server.clients.setRole(id, null);
      const fields = { name: 'Late', redirect_uris: REDIRECT_URI, scopes: 'openid' };
      const rejected = await browser.submit(late, 'application', fields);
      expect(rejected.status).toBe(409);
      expect((await server.clients.get(id)).name).toBe('Printshop Status');
      expect((await browser.submit(rejected, 'application', fields)).url.pathname).toBe(path);
    });

    it('offers every scope to a verified application, and ends its verification with another name', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
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
    it('work side by side until one is removed, and show their last use', async () => {
      const { server, browser, requestToken, recordedTypes } = portal();
      const { id, secret, path } = await register(
        browser,
        { type: 'machine', name: 'Export' },
        'tickets:read',
      );
      const added = await browser.submit(await browser.open(path), 'add-secret');
      const second = fieldOf(added, 'client_secret');
      expect((await requestToken(id, secret)).status).toBe(200);
      expect((await requestToken(id, second)).status).toBe(200);

      // The use is recorded after the response.
      const usesOf = async () => (await server.clients.get(id)).secrets.map(({ lastUsedAt }) => lastUsedAt);
      await expect.poll(usesOf).not.toContain(null);
      const page = await browser.open(path);
      expect(page.html).not.toContain('id="add-secret"');
      for (const used of await usesOf()) expect(page.html).toContain(used?.toISOString());
      const [first] = (await server.clients.get(id)).secrets;
      const removed = await browser.submit(page, `remove-secret-${first?.id}`);
      expect(removed.html).toContain('id="notice"');
      expect((await requestToken(id, secret)).status).toBe(401);
      expect((await requestToken(id, second)).status).toBe(200);
      expect(await recordedTypes(id)).toEqual(
        expect.arrayContaining(['client.secret_added', 'client.secret_removed']),
      );
    });

    it('are limited to two', async () => {
      const { browser } = portal();
      const { path } = await register(browser);
      const tabs = [await browser.open(path), await browser.open(path)] as const;
      await browser.submit(tabs[0], 'add-secret');
      const rejected = await browser.submit(tabs[1], 'add-secret');
      expect(rejected.status).toBe(409);
      expect(rejected.html).toContain('id="problems"');
    });

    it('get no other when the page of a new secret is reloaded', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const page = await browser.open(path);
      await browser.submit(page, 'add-secret');
      const [first, second] = (await server.clients.get(id)).secrets;
      await browser.submit(await browser.open(path), `remove-secret-${first?.id}`);
      const reloaded = await browser.submit(page, 'add-secret');
      expect(reloaded.url.pathname).toBe(path);
      expect(reloaded.html).toContain('id="notice"');
      expect((await server.clients.get(id)).secrets).toEqual([second]);
    });

    it('can all be removed; the application stays, but gets no token', async () => {
      const { server, browser, requestToken } = portal();
      const { id, secret, path } = await register(
        browser,
        { type: 'machine', name: 'Export' },
        'tickets:read',
      );
      const [only] = (await server.clients.get(id)).secrets;
      await browser.submit(await browser.open(path), `remove-secret-${only?.id}`);
      expect((await requestToken(id, secret)).status).toBe(401);
      expect((await browser.open(path)).html).toContain('id="add-secret"');
    });
  });

  describe('removing an application', () => {
    it('immediately revokes everything that was issued to it', async () => {
      const { server, storage, developer, browser, recordedTypes } = portal();
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
      expect(await recordedTypes(id)).toContain('client.removed');

      // The tokens are revoked, not just rejected because the client is missing.
      await storage.get().clients.insert(client);
      await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant' });
      const userInfo = oauth.fetchUserInfo(application, tokens.access_token, accountId);
      await expect(userInfo).rejects.toMatchObject({ status: 401 });
    });
  });
});
