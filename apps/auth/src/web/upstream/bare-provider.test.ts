import { randomUUID } from 'node:crypto';
import { findFreePort, type Program, startProgram, useStarted } from '@keydesk/testing';
import { describe, expect, it, vi } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { createRequest, redeem, startJourney } from '../../tests/people.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';
import { createProvider } from './hostile-provider.fixture.ts';
import { isSignedIn, noticeOf, trusted } from './upstream-server.fixture.ts';

const PROGRAM = new URL('./bare-provider.main.fixture.ts', import.meta.url).pathname;
const currentSecond = () => Math.floor(Date.now() / 1000);
/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000, interval: 200 };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useStarted(async () => {
    const port = await findFreePort();
    const issuer = `http://127.0.0.1:${port}`;
    const members = { id: 'bare', issuer, trustedDomains: [trusted], isLogOutOffered: true } as const;
    const secret = 'secret of the client';
    const authentication = { method: 'client_secret_basic', secret } as const;
    const identityProviders = [createProvider({ ...members, authentication })];
    const server = await startTestServer(storage.get(), { config: { identityProviders } });
    const program: Program = startProgram(PROGRAM, { args: [String(port), server.url] });
    await vi.waitFor(async () => {
      const metadata = await fetch(`${issuer}/.well-known/openid-configuration`);
      if (!metadata.ok) throw new Error(`${metadata.status}: ${JSON.stringify(program.output())}`);
    }, patient);
    return {
      server,
      issuer,
      async stop() {
        program.child.kill('SIGTERM');
        await program.ended;
        await server.stop();
      },
    };
  });

  /** Posts the only form of a page of the provider. */
  function post(browser: Browser, { html, url }: Page, fields: Record<string, string>): Promise<Page> {
    const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(html) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(html) ?? [];
    const body = new URLSearchParams({ ...(xsrf && { xsrf }), ...fields });
    return browser.send(new URL(action, url), { method: 'POST', body });
  }

  /** Signs in and consents at the provider; returns the URL of the redirect back. */
  async function signInThere(there: Browser, url: URL, login: string): Promise<URL> {
    const credentials = { prompt: 'login', login, password: 'any' };
    const consent = await post(there, await there.open(url), credentials);
    return (await post(there, consent, { prompt: 'consent' })).url;
  }

  /** Signs a user of the provider in. */
  async function signIn(login = randomUUID()) {
    const [here, there] = [createBrowser(used.server.url), createBrowser(used.issuer)];
    const left = await here.open('/sign-in/with/bare');
    return { here, there, login, page: await here.open(await signInThere(there, left.url, login)) };
  }

  describe('with a provider of other makers (oidc-provider, by its defaults)', () => {
    it('a sign-in opens an account, and the same account later', async () => {
      const { page, login } = await signIn();
      expect(isSignedIn(page)).toBe(true);
      expect(page.html).toContain(`${login}@${trusted}`);
      expect((await signIn(login)).page.html).toContain(`${login}@${trusted}`);
    });

    it('an identity is linked to an account, which it then opens', async () => {
      const { email } = await used.server.addAccount();
      const [here, there] = [createBrowser(used.server.url), createBrowser(used.issuer)];
      await here.submit(await here.open('/sign-in'), 'sign-in', { email, password });
      const left = await here.open('/account/identities/link/bare');
      const login = randomUUID();
      const asked = await here.open(await signInThere(there, left.url, login));
      expect(noticeOf(await here.submit(asked, 'link-identity'))).toContain('You can now sign in with');
      expect((await signIn(login)).page.html).toContain(email);
    });

    it('an earlier sign-in there is not a new one here (OpenID Connect Core §2, auth_time)', async () => {
      const { there, login } = await signIn();
      const signedInAt = currentSecond();
      await vi.waitFor(() => expect(currentSecond()).toBeGreaterThan(signedInAt), patient);
      const journey = await startJourney(used.server);
      const request = await createRequest(journey, { idp_hint: 'bare', prompt: '' });
      const left = await journey.browser.open(request.url);
      const consent = await journey.browser.open((await there.open(left.url)).url);
      expect(consent.html).toContain(`${login}@${trusted}`);
      const done = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      const claims = (await redeem(journey, request, done.url)).claims();
      expect(claims?.auth_time).toBeLessThanOrEqual(signedInAt);
    });

    it('a log-out there ends the session here (OpenID Connect Back-Channel Logout 1.0)', async () => {
      const { here, there } = await signIn();
      const asked = await there.open('/session/end');
      await post(there, asked, { logout: 'yes' });
      await vi.waitFor(async () => expect(isSignedIn(await here.open('/account'))).toBe(false), patient);
    });

    it('a sign-out here leads to the log-out there and back (RP-Initiated Logout 1.0)', async () => {
      const { here, there } = await signIn();
      const done = await here.submit(await here.open('/session/end'), 'log-out', { logout: 'yes' });
      expect(done.html).toContain('id="upstream-log-out"');
      const left = await here.open('/sign-in/with/bare/log-out');
      const back = await post(there, await there.open(left.url), { logout: 'yes' });
      expect(back.url.href).toBe(`${used.server.url}/session/end/success`);
    });
  });
});
