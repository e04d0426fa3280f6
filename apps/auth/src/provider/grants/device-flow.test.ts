import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acrValues } from '../../accounts/account/authentication.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { setUpApp } from '../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { API, password, startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const SCOPE = 'openid offline_access tickets:read';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let clientId: string;
  let device: oauth.Configuration;
  let email: string;
  let accountId: string;
  let browser: Browser;
  beforeAll(async () => {
    const { client } = await server.clients.add({
      type: 'device',
      name: 'Ticket Board',
      scopes: ['tickets:read'],
    });
    clientId = client.id;
    device = await oauth.discovery(new URL(server.url), clientId, undefined, oauth.None(), {
      execute: [oauth.allowInsecureRequests],
    });
  });
  beforeEach(async () => {
    ({ email, id: accountId } = await server.addAccount({ role: 'agent' }));
    browser = createBrowser(server.url);
  });

  const ask = (scope = SCOPE) => oauth.initiateDeviceAuthorization(device, { scope });
  const poll = async (code: string, from: TestServer = server) => {
    const form = { grant_type: DEVICE_GRANT, device_code: code, client_id: clientId };
    const response = await from.requestToken(form);
    return { status: response.status, ...((await response.json()) as Record<string, string>) };
  };

  async function enter(userCode: string): Promise<Page> {
    return browser.submit(await browser.open('/device'), 'device-code', { user_code: userCode });
  }

  /** Goes from the user code to the consent page. */
  async function askForConsent(userCode: string): Promise<Page> {
    const page = await browser.submit(await enter(userCode), 'device-confirm', { confirm: 'yes' });
    return page.html.includes('id="sign-in"') ? browser.submit(page, 'sign-in', { email, password }) : page;
  }

  async function connect(userCode: string): Promise<Page> {
    return browser.submit(await askForConsent(userCode), 'consent', { decision: 'allow' });
  }

  describe('the device authorization grant (RFC 8628)', () => {
    it('returns tokens of the user who entered the code, with the granted scopes and a refresh token', async () => {
      const asked = await ask();
      const tokens = oauth.pollDeviceAuthorizationGrant(device, { ...asked, interval: 1 });
      const connected = await connect(asked.user_code);
      expect(connected.html).toContain('Ticket Board');
      expect(await tokens).toMatchObject({ scope: SCOPE, refresh_token: expect.any(String) });
      const claims = (await tokens).claims();
      expect(claims).toMatchObject({ sub: accountId, aud: clientId, amr: ['pwd'] });
      const { acr, amr, auth_time }: Partial<oauth.IDToken> = claims ?? {};
      // RFC 9068 §2.2.1
      expect(decodeJwt((await tokens).access_token)).toMatchObject({ acr, amr, auth_time });
      const refreshed = await oauth.refreshTokenGrant(device, (await tokens).refresh_token ?? '');
      expect(refreshed.scope).toBe(SCOPE);
    });

    it('uses codes of eight letters, entered in any case and without the dash (§6.1)', async () => {
      const { user_code: userCode } = await ask();
      expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      const typed = ` ${userCode.replace('-', ' ').toLowerCase()} `;
      expect((await enter(typed)).html).toContain(userCode);
    });

    it('shows the client, the scopes and the origin before anything is granted (§5.4)', async () => {
      const { user_code: userCode } = await ask();
      const { html } = await enter(userCode);
      for (const text of [userCode, 'Ticket Board', '127.0.0.1', 'openid-client', 'Read tickets'])
        expect(html).toContain(text);
    });

    it('prefills a code from the URL and still lets the user compare it (§3.3.1)', async () => {
      const { verification_uri_complete: url = '', user_code: userCode } = await ask();
      const page = await browser.open(url);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
      expect(page.html).toContain(`value="${userCode}"`);
      expect((await browser.submit(page, 'device-code', { user_code: userCode })).html).toContain(
        'id="device-confirm"',
      );
    });

    it('keeps a code from the URL when the language changes', async () => {
      const { verification_uri_complete: url = '', user_code: userCode } = await ask();
      const [, german = ''] = /href="([^"]*lang=de)"/.exec((await browser.open(url)).html) ?? [];
      const page = await browser.open(german.replaceAll('&amp;', '&'));
      expect(page.html).toContain('lang="de"');
      expect(page.html).toContain(`value="${userCode}"`);
      await browser.open('/device?lang=en');
    });

    it('asks for consent each time, because a device is not authenticated (§5.6)', async () => {
      await connect((await ask()).user_code);
      expect((await askForConsent((await ask()).user_code)).html).toContain('id="consent"');
    });

    it('returns authorization_pending, then slow_down to a device that polls too fast (§3.5)', async () => {
      const { device_code: code } = await ask();
      expect(await poll(code)).toMatchObject({ status: 400, error: 'authorization_pending' });
      expect(await poll(code)).toMatchObject({ status: 400, error: 'slow_down' });
      expect(await poll((await ask()).device_code)).toMatchObject({ error: 'authorization_pending' });
    });

    it.each([
      ['rejects the code', async (page: Page) => browser.submit(page, 'device-confirm', { abort: 'yes' })],
      [
        'denies consent',
        async (page: Page) => {
          const signIn = await browser.submit(page, 'device-confirm', { confirm: 'yes' });
          const consent = await browser.submit(signIn, 'sign-in', { email, password });
          return browser.submit(consent, 'consent', { decision: 'deny' });
        },
      ],
    ])('returns access_denied when the user %s (§3.5)', async (_, refuse) => {
      const { device_code: code, user_code: userCode } = await ask();
      const page = await refuse(await enter(userCode));
      expect([page.status, page.html.includes('The device was not connected')]).toEqual([200, true]);
      expect(await poll(code)).toMatchObject({ status: 400, error: 'access_denied' });
      expect(await poll(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
    });

    it('issues tokens to exactly one of ten concurrent requests at two servers', async () => {
      const other = await startTestServer(await storage.openAnother(), { config: { issuer: server.url } });
      const asked = await ask();
      await connect(asked.user_code);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => poll(asked.device_code, i % 2 ? server : other)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
      await other.stop();
    });

    it('keeps the issued tokens valid when the device polls again', async () => {
      const asked = await ask();
      await connect(asked.user_code);
      const tokens: Record<string, unknown> = await poll(asked.device_code);
      expect(await poll(asked.device_code)).toMatchObject({ status: 400, error: 'invalid_grant' });
      const refresh_token = String(tokens.refresh_token);
      const form = { grant_type: 'refresh_token', refresh_token, client_id: clientId };
      expect((await server.requestToken(form)).status).toBe(200);
    });

    it('rejects a used user code, and the device code of another client', async () => {
      const asked = await ask();
      await connect(asked.user_code);
      const again = await enter(asked.user_code);
      expect([again.status, again.html.includes('used already')]).toEqual([400, true]);
      const { client } = await server.clients.add({ type: 'device', name: 'Other', scopes: [] });
      const form = { grant_type: DEVICE_GRANT, device_code: asked.device_code, client_id: client.id };
      expect(await (await server.requestToken(form)).json()).toMatchObject({ error: 'invalid_grant' });
    });

    it.each(['', 'wrong'])('ignores a form with the token "%s" (CSRF)', async (xsrf) => {
      const { user_code: userCode, device_code: code } = await ask();
      const page = await browser.submit(await enter(userCode), 'device-confirm', { confirm: 'yes', xsrf });
      expect([page.status, page.html.includes('id="device-code"')]).toEqual([400, true]);
      expect(await poll(code)).toMatchObject({ error: 'authorization_pending' });
    });

    it('rejects scopes that the client is not allowed, and clients of other types', async () => {
      await expect(ask('tickets:delete')).rejects.toMatchObject({ error: 'invalid_scope' });
      const { id } = await server.addClient({ type: 'machine' });
      const response = await fetch(`${server.url}/device/auth`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: id }),
      });
      expect(response.status).toBe(401);
    });
  });

  describe('a step-up request of a device without the scope openid (RFC 9470 §4, RFC 8628 §3.1)', () => {
    const [passwordClass, multiFactor] = acrValues;
    const askFor = (parameters: Record<string, string>) =>
      oauth.initiateDeviceAuthorization(device, { scope: 'tickets:read', ...parameters });
    const claimsOf = async (code: string) =>
      decodeJwt(String(((await poll(code)) as Record<string, unknown>).access_token));

    it('leads to the second factor, then to a token of the class', async () => {
      const asked = await askFor({ acr_values: multiFactor });
      const { shown } = await setUpApp(browser, await askForConsent(asked.user_code), server);
      const consent = await browser.submit(shown, 'continue');
      await browser.submit(consent, 'consent', { decision: 'allow' });
      const claims = await claimsOf(asked.device_code);
      expect(claims).toMatchObject({ sub: accountId, acr: multiFactor, amr: ['pwd', 'otp', 'mfa'] });
    });

    it('fails for device and user where the account cannot reach the class (RFC 9470 §5)', async () => {
      const asked = await askFor({ acr_values: 'phr' });
      expect((await askForConsent(asked.user_code)).html).toContain('id="error-sign-in-too-weak"');
      expect(await poll(asked.device_code)).toMatchObject({ error: 'unmet_authentication_requirements' });
    });

    it.each([{}, { resource: API }])('is satisfied by a sign-in of the class: %j', async (resource) => {
      const asked = await askFor({ acr_values: passwordClass, max_age: '600', ...resource });
      await connect(asked.user_code);
      const expected = { acr: passwordClass, auth_time: expect.any(Number) };
      expect(await claimsOf(asked.device_code)).toMatchObject(expected);
    });

    it.each(['tickets:read', SCOPE])('asks again with max_age=0 and the scope %s', async (scope) => {
      await connect((await ask()).user_code);
      const asked = await askFor({ max_age: '0', scope });
      const page = await browser.submit(await enter(asked.user_code), 'device-confirm', { confirm: 'yes' });
      expect(page.html).toContain('Please sign in again');
      const consent = await browser.submit(page, 'sign-in', { email, password });
      await browser.submit(consent, 'consent', { decision: 'allow' });
      expect(await claimsOf(asked.device_code)).toMatchObject({ auth_time: expect.any(Number) });
    });

    it.each([{ max_age: '-1' }, { max_age: 'x' }, { nonce: 'n' }])('is rejected with %j', async (wrong) => {
      await expect(askFor({ acr_values: passwordClass, ...wrong })).rejects.toMatchObject({
        error: 'invalid_request',
      });
    });
  });

  describe('an expired device code', () => {
    it('is reported as expired to the device and the user (RFC 8628 §3.5)', async () => {
      const short = await startTestServer(storage.get(), {
        config: { issuer: server.url, deviceCodeTtlSeconds: 1 },
      });
      const response = await fetch(`${short.url}/device/auth`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: clientId, scope: SCOPE }),
      });
      const asked = (await response.json()) as { device_code: string; user_code: string };
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      expect(await poll(asked.device_code)).toMatchObject({ status: 400, error: 'expired_token' });
      const page = await enter(asked.user_code);
      expect([page.status, page.html.includes('has expired')]).toEqual([400, true]);
      await short.stop();
    });
  });

  describe('guessing user codes (RFC 8628 §5.1)', () => {
    const WRONG = 'BBBB-BBBB';
    let busy: TestServer;
    beforeEach(async () => {
      busy = await startTestServer(storage.get(), { config: { trustedProxyHops: 1 } });
      browser = createBrowser(busy.url);
    });
    afterEach(() => busy.stop());

    const guess = async (count: number, jar = browser) => {
      const page = await jar.open('/device');
      const tries = Array.from({ length: count }, () =>
        jar.submit(page, 'device-code', { user_code: WRONG }),
      );
      return (await Promise.all(tries)).map(({ status }) => status).toSorted();
    };

    it('is limited to thirty wrong codes from one address, even in parallel', async () => {
      expect(await guess(60)).toEqual([...Array(30).fill(400), ...Array(30).fill(429)]);
      const page = await browser.open('/device');
      const refused = await browser.submit(page, 'device-code', { user_code: WRONG });
      expect(refused.html).toContain('id="error-too-many-attempts"');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('is limited to ten wrong codes for one signed-in user, but not for other users', async () => {
      const { user_code: userCode } = await ask();
      await askForConsent(userCode);
      expect(await guess(20)).toEqual([...Array(10).fill(400), ...Array(10).fill(429)]);
      expect(await guess(5, createBrowser(busy.url))).toEqual(Array(5).fill(400));
    });

    it('counts requests without a session, and no correct codes', async () => {
      const { user_code: userCode } = await ask();
      for (let entered = 0; entered < 35; entered += 1) expect((await enter(userCode)).status).toBe(200);
      const headers = { Accept: 'text/html' };
      const body = new URLSearchParams({ user_code: WRONG });
      const post = () => fetch(`${busy.url}/device`, { method: 'POST', body, headers });
      const answers = await Promise.all(Array.from({ length: 40 }, post));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        ...Array(30).fill(400),
        ...Array(10).fill(429),
      ]);
      const late = await createBrowser(busy.url).open('/device/nothing');
      expect([late.status, late.html.includes('error-interaction-expired')]).toEqual([400, true]);
      expect(late.html).toMatch(/href="\/device"[^>]* id="retry"/);
    });
  });
});
