import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { jpeg, png } from '../../clients/logo/image.fixture.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import {
  createRequest,
  type Journey,
  REDIRECT_URI,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let id: string;
  let path: string;
  beforeAll(async () => {
    ({ id } = await server.addClient());
    path = `/application-logos/${id}/${(await server.clients.setLogo(id, png())).logoDigest}`;
  });
  const get = (at = path, init?: RequestInit) => fetch(server.url + at, init);

  describe('a served logo', () => {
    it('has the type of its content, runs no scripts, and is cached permanently', async () => {
      const response = await get();
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(png().length),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'content-disposition': 'inline',
        'cache-control': 'public, max-age=31536000, immutable',
      });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(png());
    });

    it('neither sets nor reads cookies, because it belongs to no session', async () => {
      const response = await get(path, { headers: { Cookie: '_session=x; _session.sig=y' } });
      expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
      expect(response.headers.get('vary')).toBeNull();
    });

    it('is answered with 304 if the client has it (RFC 9110 §13.1.2)', async () => {
      const etag = (await get()).headers.get('etag') ?? '';
      expect(path.endsWith(JSON.parse(etag))).toBe(true);
      // Without Cache-Control, fetch adds no-cache, which disables the conditional response.
      const request = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
      const response = await get(path, { headers: request });
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect((await get(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
    });

    it('is answered without a body for HEAD (RFC 9110 §9.3.2)', async () => {
      const response = await get(path, { method: 'HEAD' });
      expect(response.headers.get('content-type')).toBe('image/png');
      expect([response.status, await response.text()]).toEqual([200, '']);
    });

    it.each([
      ['of an unknown client', () => path.replace(id, 'nobody')],
      ['of an earlier logo', () => path.replace(/[\w-]{43}$/, 'A'.repeat(43))],
      ['without a digest', () => `/application-logos/${id}/`],
      ['with an extra segment', () => `${path}/x`],
      ['with invalid UTF-8', () => `/application-logos/%00/%ff`],
      ['with names of Object.prototype', () => `/application-logos/__proto__/constructor`],
      ['with dot segments', () => `/application-logos/..%2f..%2f/${path.slice(-43)}`],
    ])('is not found at a URL %s', async (_, address) => {
      const response = await get(address());
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        expect.stringContaining('application/problem+json'),
      ]);
    });

    it.each(['POST', 'PUT', 'DELETE'])('rejects %s', async (method) => {
      expect((await get(path, { method })).status).toBe(404);
    });

    it('is not found while its client is disabled', async () => {
      await server.clients.setStatus(id, 'disabled');
      expect((await get()).status).toBe(404);
      await server.clients.setStatus(id, 'active');
      expect((await get()).status).toBe(200);
    });

    it('is not found once it is replaced or removed, or its client is removed', async () => {
      const { client } = await server.addClient();
      const set = async (file: Buffer | null) => (await server.clients.setLogo(client.id, file)).logoDigest;
      const addressOf = (digest: string | null) => `/application-logos/${client.id}/${digest}`;
      const first = addressOf(await set(png()));
      const second = addressOf(await set(jpeg()));
      expect([(await get(first)).status, (await get(second)).status]).toEqual([404, 200]);
      await set(null);
      expect((await get(second)).status).toBe(404);
      const third = addressOf(await set(png()));
      await server.clients.remove(client.id);
      expect((await get(third)).status).toBe(404);
    });
  });

  describe('a page with the name of an application', () => {
    let journey: Journey;
    let logo: string;
    beforeAll(async () => {
      journey = await startJourney(server);
      const { logoDigest } = await server.clients.setLogo(journey.clientId, jpeg());
      logo = `<img class="tile is-logo" src="/application-logos/${journey.clientId}/${logoDigest}" alt=""`;
    });

    async function openConsent() {
      const { url } = await createRequest(journey, { scope: 'openid tickets:read' });
      const page = await journey.browser.open(url);
      return page.html.includes('id="sign-in"') ? signIn(journey, page) : page;
    }

    it('shows its logo on the consent page, whose CSP allows the image', async () => {
      const page = await openConsent();
      expect(page.html).toContain(logo);
      expect(page.headers.get('content-security-policy')).toContain("img-src 'self'");
    });

    it('shows its logo on the log-out page', async () => {
      const url = `${server.url}/session/end?client_id=${journey.clientId}`;
      const page = await journey.browser.open(url);
      expect(page.html).toContain('id="log-out"');
      expect(page.html).toContain(logo);
    });

    it('shows its logo among the connected applications', async () => {
      await journey.browser.submit(await openConsent(), 'consent', { decision: 'allow' });
      expect((await journey.browser.open('/account/applications')).html).toContain(logo);
    });

    it('shows no logo of an unverified application on the page before a redirect to it', async () => {
      const request = { type: 'spa', name: 'Stranger', scopes: [], redirectUris: [REDIRECT_URI] } as const;
      const { client } = await server.clients.register(request, { id: 'developer', limit: 1 });
      const { logoDigest } = await server.clients.setLogo(client.id, png());
      const query = new URLSearchParams({ client_id: client.id, redirect_uri: REDIRECT_URI, scope: 'root' });
      const page = await createBrowser(server.url).open(`/auth?${query}`);
      expect(page.html).toContain('id="leave"');
      expect(logoDigest).not.toBeNull();
      expect(page.html).not.toContain('/application-logos/');
    });

    it('shows its logo on the page that connects a device', async () => {
      const { client } = await server.clients.add({
        type: 'device',
        name: 'Board',
        scopes: ['tickets:read'],
      });
      const { logoDigest } = await server.clients.setLogo(client.id, png());
      const body = new URLSearchParams({ client_id: client.id, scope: 'openid' });
      const asked = await (await fetch(`${server.url}/device/auth`, { method: 'POST', body })).json();
      const { user_code } = asked as { user_code: string };
      const page = await journey.browser.submit(await journey.browser.open('/device'), 'device-code', {
        user_code,
      });
      expect(page.html).toContain('id="device-confirm"');
      expect(page.html).toContain(`src="/application-logos/${client.id}/${logoDigest}"`);
    });

    it('requires new consent once its developer has uploaded another logo', async () => {
      const { id: owner } = await server.addAccount();
      const client = { scopes: ['openid', 'tickets:read'] };
      const developers = await startJourney(server, { owner, client });
      await server.clients.setLogo(developers.clientId, png());
      await server.clients.setVerified(developers.clientId, true);
      const request = async () => (await createRequest(developers, { scope: 'openid', prompt: '' })).url;
      const page = await signIn(developers, await developers.browser.open(await request()));
      await developers.browser.submit(page, 'consent', { decision: 'allow' });
      expect((await developers.browser.open(await request())).html).not.toContain('id="consent"');
      await server.clients.setLogo(developers.clientId, jpeg());
      await server.clients.setVerified(developers.clientId, true);
      expect((await developers.browser.open(await request())).html).toContain('id="consent"');
    });

    it('shows the initial of its name once the logo is removed', async () => {
      await server.clients.setLogo(journey.clientId, null);
      const { html } = await openConsent();
      expect(html).not.toContain('<img class="tile');
      expect(html).toContain('<span class="tile" aria-hidden="true">');
    });
  });
});
