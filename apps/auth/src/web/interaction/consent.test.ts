import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { errorIn } from '../../tests/signing-clients.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

const SCOPE = 'openid profile tickets:read';
const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;

  /** Creates a request without `prompt=consent`. */
  const ask = (scope = SCOPE) => createRequest(journey, { scope, prompt: '' });
  const elsewhere = (): Journey => ({ ...journey, browser: createBrowser(server.url) });

  /** Signs in with a new browser; returns the page or redirect that follows. */
  async function signInElsewhere(scope = SCOPE) {
    const other = elsewhere();
    return signIn(other, await other.browser.open((await ask(scope)).url));
  }

  const recorded = async (type: 'consent.given' | 'consent.denied') => {
    const records = await storage.get().audit.list({ accountId: journey.accountId, limit: 100 });
    return records.filter((record) => record.type === type);
  };

  describe('the consent to a verified application', () => {
    beforeEach(async () => {
      journey = await startJourney(server);
      await authorize(journey, await ask());
    });

    it('is remembered, even on another device', async () => {
      const page = await signInElsewhere();
      expect(page.url.searchParams.get('code')).toEqual(expect.any(String));
      expect((await signInElsewhere('openid')).url.searchParams.has('code')).toBe(true);
    });

    it('is requested on any device for more scopes, and the page shows the granted ones', async () => {
      const page = await signInElsewhere(`${SCOPE} tickets:write email`);
      expect(page.html).toContain('id="consent"');
      expect(page.html).toContain('id="granted"');
      const [asked = '', granted = ''] = page.html.split('id="granted"');
      expect(asked).toContain('Create and change tickets');
      expect(asked).not.toContain('Read tickets');
      expect(granted).toContain('Read tickets');
    });

    it('is requested again with prompt=consent (OIDC Core §3.1.2.1)', async () => {
      const other = elsewhere();
      const { url } = await createRequest(journey, { scope: SCOPE });
      expect((await signIn(other, await other.browser.open(url))).html).toContain('id="consent"');
    });

    it('creates a separate grant on each device, so that one can be revoked without the other (RFC 7009 §2.1)', async () => {
      const scope = `${SCOPE} offline_access`;
      const obtain = async (device: Journey) => {
        const request = await createRequest(device, { scope });
        return redeem(device, request, await authorize(device, request));
      };
      const [phone, tablet] = [await obtain(elsewhere()), await obtain(elsewhere())];
      await oauth.tokenRevocation(journey.application, phone.refresh_token ?? '');
      const refreshed = await oauth.refreshTokenGrant(journey.application, tablet.refresh_token ?? '');
      expect(refreshed.access_token).toBeDefined();
      expect((await signInElsewhere()).url.searchParams.has('code')).toBe(true);
    });

    it.each([
      ['the application loses its verification', () => server.clients.setVerified(journey.clientId, false)],
      [
        'the password is changed',
        () => server.accounts.setPassword({ ...journey, newPassword: 'kindly yellow umbrella' }, operator),
      ],
    ])('is requested again after %s', async (_, change) => {
      await change();
      expect((await signInElsewhere()).html).toContain('id="consent"');
    });

    it('no longer covers reserved scopes from the next token on if the application loses its verification', async () => {
      const { application, clientId } = journey;
      const uris = { redirectUris: ['https://app.example/callback'] };
      const scopes = ['openid', 'offline_access', 'tickets:read', 'tickets:delete'];
      await server.clients.edit(clientId, { name: 'Printshop Status', ...uris, scopes }, 1);
      const request = await createRequest(journey, { scope: scopes.join(' ') });
      const first = await redeem(journey, request, await authorize(journey, request));
      expect(first.scope).toBe('openid offline_access tickets:read tickets:delete');
      await server.clients.setVerified(clientId, false);
      const second = await oauth.refreshTokenGrant(application, first.refresh_token ?? '');
      expect(second.scope).toBe('openid offline_access tickets:read');
    });

    it('does not apply to another user', async () => {
      const other = await server.addAccount();
      const browser = createBrowser(server.url);
      const page = await browser.open((await ask()).url);
      expect((await signIn({ ...journey, browser, email: other.email }, page)).html).toContain(
        'id="consent"',
      );
    });

    it('is audited once, with the granted scopes', async () => {
      await signInElsewhere();
      const { accountId, clientId } = journey;
      expect(await recorded('consent.given')).toMatchObject([
        { actor: accountId, clientId, address: '127.0.0.1', details: { scope: SCOPE } },
      ]);
    });
  });

  const ofDeveloper = {
    name: 'Printshop Status',
    scopes: SCOPE.split(' '),
    homePage: 'https://printshop.example/about',
    redirectUris: ['https://app.example/callback', 'https://app.example/old'],
  };

  /** Starts a journey with an application that a developer has registered. */
  async function startWithDeveloper() {
    const { id } = await server.addAccount({ name: 'Grace Hopper' });
    const { client } = await server.clients.register({ type: 'spa', ...ofDeveloper }, { id, limit: 1 });
    const application = await oauth.discovery(new URL(server.url), client.id, undefined, oauth.None(), {
      execute: [oauth.allowInsecureRequests],
    });
    journey = { ...(await startJourney(server)), application, clientId: client.id, clientSecret: null };
  }

  it('shows the privacy policy and the terms of an application (OpenID Connect Registration §2)', async () => {
    await startWithDeveloper();
    const consentPage = async () => (await signInElsewhere()).html;
    expect(await consentPage()).not.toContain('id="terms-of-application"');
    const pages = {
      policyUri: 'https://printshop.example/privacy',
      tosUri: 'https://printshop.example/terms',
    };
    await server.clients.edit(journey.clientId, { ...ofDeveloper, ...pages }, 1);
    const shown = await consentPage();
    expect(shown).toContain('href="https://printshop.example/privacy" id="application-policy"');
    expect(shown).toContain('href="https://printshop.example/terms" id="application-terms"');
  });

  describe('the consent to an application that its developer changes afterwards', () => {
    beforeEach(async () => {
      await startWithDeveloper();
      await server.clients.setVerified(journey.clientId, true);
      await authorize(journey, await ask());
    });

    async function editAndVerify(changes: Partial<typeof ofDeveloper>) {
      const { version } = await server.clients.get(journey.clientId);
      await server.clients.edit(journey.clientId, { ...ofDeveloper, ...changes }, version);
      await server.clients.setVerified(journey.clientId, true);
    }

    it.each([
      ['name', { name: 'Bank' }],
      ['home page', { homePage: 'https://bank.example/' }],
      ['redirect URI', { redirectUris: [...ofDeveloper.redirectUris, 'https://app.example/new'] }],
    ])(
      'is requested again after a change of its %s, even if an operator verifies the change',
      async (_, changes) => {
        await editAndVerify(changes);
        expect((await signInElsewhere('openid')).html).toContain('id="consent"');
        await authorize(elsewhere(), await ask('openid'));
        expect((await signInElsewhere('openid')).url.searchParams.has('code')).toBe(true);
        expect((await signInElsewhere()).html).toContain('id="consent"');
      },
    );

    it('is requested again in the same session, and the previous grant is removed', async () => {
      const device = elsewhere();
      await authorize(device, await ask());
      await editAndVerify({ name: 'Bank' });
      await authorize(device, await ask('openid'));
      const again = await device.browser.open((await ask('openid')).url);
      expect(again.url.searchParams.has('code')).toBe(true);
      expect((await device.browser.open((await ask()).url)).html).toContain('id="consent"');
    });

    it('is not requested again if only a redirect URI is removed', async () => {
      await editAndVerify({ redirectUris: ['https://app.example/callback'] });
      expect((await signInElsewhere()).url.searchParams.has('code')).toBe(true);
    });
  });

  describe('an unverified application', () => {
    beforeEach(startWithDeveloper);

    it('is shown as unverified, with its owner and home page', async () => {
      const { html } = await signInElsewhere();
      expect(html).toContain('id="unverified"');
      expect(html).toContain('Grace Hopper');
      expect(html).toContain('https://printshop.example/about');
    });

    it('requires consent once per session', async () => {
      const other = elsewhere();
      const first = await ask();
      await authorize(other, first);
      const again = await other.browser.open((await ask()).url);
      expect(again.url.searchParams.has('code')).toBe(true);
      expect((await signInElsewhere()).html).toContain('id="consent"');
    });

    it('requires consent again on another device after its verification, because it was unverified before', async () => {
      await authorize(elsewhere(), await ask());
      await server.clients.setVerified(journey.clientId, true);
      expect((await signInElsewhere()).html).toContain('id="consent"');
    });

    it('requires consent again in the same session after a change of its name', async () => {
      const device = elsewhere();
      await authorize(device, await ask());
      await server.clients.edit(journey.clientId, { ...ofDeveloper, name: 'Bank' }, 1);
      expect((await device.browser.open((await ask()).url)).html).toContain('id="consent"');
    });

    it('gets invalid_scope for scopes that it is not registered for (RFC 6749 §4.1.2.1)', async () => {
      for (const scope of ['openid email', 'openid tickets:delete']) {
        const page = await elsewhere().browser.open((await ask(scope)).url);
        expect(errorIn(page)).toBe('invalid_scope');
      }
    });
  });

  describe('a consent page whose session has ended (OpenID Connect Core §3.1.2.4)', () => {
    const signOut = async ({ browser }: Journey) => {
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
    };
    const signInAsAnother = async (device: Journey) => {
      const { email } = await server.addAccount();
      await signOut(device);
      await signIn({ ...device, email }, await device.browser.open('/sign-in'));
    };

    it.each([
      ['the user has signed out in another tab', signOut],
      ['another user has signed in there', signInAsAnother],
      ['the account is disabled', ({ accountId }: Journey) => server.accounts.disable(accountId, operator)],
    ])('shows no data and grants nothing if %s', async (_, leave) => {
      journey = await startJourney(server);
      const device = elsewhere();
      const page = await signIn(device, await device.browser.open((await ask()).url));
      expect(page.html).toContain('id="consent"');
      await leave(device);
      const allowed = await device.browser.submit(page, 'consent', { decision: 'allow' });
      const again = await device.browser.open(page.url);
      expect([allowed.status, again.status]).toEqual([400, 400]);
      expect(allowed.html + again.html).not.toContain(journey.email);
      expect(await recorded('consent.given')).toEqual([]);
      const remembered = ['RememberedConsent', journey.accountId, new Date()] as const;
      expect(await storage.get().artifacts.findByAccount(...remembered)).toEqual([]);
    });
  });

  describe('a denied consent (RFC 6749 §4.1.2.1)', () => {
    it('is returned to the application with state and issuer, audited, and not remembered', async () => {
      journey = await startJourney(server);
      const other = elsewhere();
      const request = await ask();
      const page = await signIn(other, await other.browser.open(request.url));
      const { url } = await other.browser.submit(page, 'consent', { decision: 'deny' });
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        error: 'access_denied',
        state: request.state,
        iss: server.url,
      });
      expect(url.searchParams.has('code')).toBe(false);
      expect(await recorded('consent.given')).toEqual([]);
      expect(await recorded('consent.denied')).toMatchObject([
        { actor: journey.accountId, clientId: journey.clientId, details: { scope: SCOPE } },
      ]);
      expect((await signInElsewhere()).html).toContain('id="consent"');
    });
  });

  describe('a verified native application (RFC 8252 §8.6)', () => {
    it('requires consent each time, because another application may listen at its redirect URI', async () => {
      const redirectUri = 'http://127.0.0.1/callback';
      journey = await startJourney(server, { type: 'native', redirectUri });
      const request = await createRequest(journey, { redirect_uri: redirectUri, scope: SCOPE, prompt: '' });
      await authorize(journey, request);
      expect((await journey.browser.open(request.url)).html).toContain('id="consent"');
    });
  });
});
