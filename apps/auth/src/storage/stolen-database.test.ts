import * as oauth from 'openid-client';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createBrowser } from '../tests/browser.fixture.ts';
import { authorize, createRequest, redeem, signIn, startJourney } from '../tests/people.fixture.ts';
import { password } from '../tests/test-server.fixture.ts';
import { useMailboxServer } from '../web/account/use-mailbox-server.fixture.ts';
import { onEveryEngine, useStorage } from './engines.fixture.ts';

/** Minimum length of a secret; shorter parts, such as pieces of a cookie, occur by chance. */
const SECRET_LENGTH = 8;

/** Returns the encodings in which a secret could be stored: as it is, decoded, and re-encoded. */
function encodingsOf(secret: string): Buffer[] {
  const parts = secret.split(/[.:]/).filter((part) => part.length >= SECRET_LENGTH);
  return [secret, ...parts].flatMap((text) => {
    const own = Buffer.from(text);
    const decoded = Buffer.from(text, 'base64url');
    const spelled = [own.toString('base64'), own.toString('base64url'), own.toString('hex')];
    const bytes = [decoded.toString('hex'), decoded.toString('base64')];
    return [own, decoded, ...[...spelled, ...bytes].map((each) => Buffer.from(each))];
  });
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage);
  const secrets = new Map<string, string>();

  async function expectNoneAtRest(): Promise<void> {
    const dump = await storage.database().dump();
    const found = [...secrets].filter(([, secret]) =>
      encodingsOf(secret).some((form) => dump.includes(form)),
    );
    expect(found.map(([name]) => name)).toEqual([]);
  }

  const addSecrets = (found: Readonly<Record<string, string | null | undefined>>) => {
    for (const [name, secret] of Object.entries(found)) {
      expect(secret, name).toBeTruthy();
      secrets.set(name, String(secret));
    }
  };

  describe('a stolen database (RFC 6819 §5.1.4.1, OWASP ASVS 5.0 §11.4.2)', () => {
    it('contains no secret for sign-up, sign-in or password reset', async () => {
      const [browser, email] = [createBrowser(server.url), `${uuidv7()}@example.org`];
      await browser.submit(await browser.open('/sign-up'), 'sign-up', { name: 'Ada', email, password });
      const link = await mailbox.linkTo(email, '/verify-email');
      addSecrets({ password, verification: new URL(link).searchParams.get('token') });
      await expectNoneAtRest();
      // Data that is not secret must be found, which proves that a secret would be found as well.
      expect((await storage.database().dump()).includes(email)).toBe(true);
      await browser.submit(await browser.open(link), 'sign-in', { email, password });
      await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
      const reset = await mailbox.linkTo(email, '/reset-password');
      addSecrets({ reset: new URL(reset).searchParams.get('token') });
      const cookies = browser.cookies();
      expect(cookies.length).toBeGreaterThan(2);
      addSecrets(
        Object.fromEntries(browser.cookieValues().map((value, i) => [`${cookies[i]} cookie`, value])),
      );
      await expectNoneAtRest();
    });

    it('contains no secret of an application, before or after it is redeemed', async () => {
      const journey = await startJourney(server);
      const request = await createRequest(journey);
      const pushed = await oauth.buildAuthorizationUrlWithPAR(journey.application, request.url.searchParams);
      const consent = await signIn(journey, await journey.browser.open(pushed));
      addSecrets({
        'client secret': journey.clientSecret,
        'request URI': pushed.searchParams.get('request_uri'),
        interaction: consent.url.pathname.split('/')[2],
        verifier: request.verifier,
      });
      await expectNoneAtRest();
      const callback = await authorize(journey, request);
      addSecrets({ code: callback.searchParams.get('code') });
      await expectNoneAtRest();
      const first = await redeem(journey, request, callback);
      const later = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '');
      addSecrets({
        'access token': first.access_token,
        'ID token': first.id_token,
        'refresh token': first.refresh_token,
        'next refresh token': later.refresh_token,
      });
      await expectNoneAtRest();
    });

    it('contains no secret of a device, while it polls or afterwards', async () => {
      const { id } = await server.addClient({ type: 'device', name: 'Ticket Board', role: null });
      const options = { execute: [oauth.allowInsecureRequests] };
      const device = await oauth.discovery(new URL(server.url), id, undefined, oauth.None(), options);
      const asked = await oauth.initiateDeviceAuthorization(device, { scope: 'offline_access tickets:read' });
      addSecrets({
        'device code': asked.device_code,
        'user code': asked.user_code,
        'user code as stored': asked.user_code.replace('-', ''),
      });
      await expectNoneAtRest();
      const [browser, { email }] = [createBrowser(server.url), await server.addAccount()];
      const page = await browser.open(asked.verification_uri_complete ?? '');
      const confirm = await browser.submit(page, 'device-code', { user_code: asked.user_code });
      const signInPage = await browser.submit(confirm, 'device-confirm', { confirm: 'yes' });
      const consent = await browser.submit(signInPage, 'sign-in', { email, password });
      await expectNoneAtRest();
      expect((await browser.submit(consent, 'consent', { decision: 'allow' })).status).toBe(200);
      const tokens = await oauth.pollDeviceAuthorizationGrant(device, { ...asked, interval: 1 });
      addSecrets({ 'token of the device': tokens.access_token, 'its refresh token': tokens.refresh_token });
      await expectNoneAtRest();
    });
  });
});
