import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHeldStorage, type HeldStorage, type Write } from '../../../artifacts/held-storage.fixture.ts';
import { png } from '../../../clients/logo/image.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { createRequest, type Journey, obtainTokens, startJourney } from '../../../tests/people.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { csrfIn, register } from '../../developer/portal.fixture.ts';

/** A write of an authorization request with this `prompt`. */
interface HeldWrite extends Write {
  prompt?: string;
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let hold: HeldStorage['hold'];
  const server = useStarted(() => {
    const held = createHeldStorage(storage.get());
    hold = held.hold;
    return startTestServer(held.storage);
  });

  describe('a form in flight while the owner disowns its sign-in (OWASP ASVS 5.0 §7.4.3)', () => {
    async function signInThief(email: string): Promise<Browser> {
      const thief = createBrowser(server.url);
      await thief.submit(await thief.open('/sign-in'), 'sign-in', { email, password });
      return thief;
    }

    /** Ends every sign-in of an account after its session was checked, and before the form is read. */
    async function endWhileSending(accountId: string, send: () => Promise<Page>): Promise<Page> {
      // The next use of the session is stored, before the form is read.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 360_000 });
      onTestFinished(() => void vi.useRealTimers());
      const isHeld = hold({ model: 'Session', after: 0 });
      const response = send();
      const { release } = await isHeld;
      await server.accounts.signOutEverywhere(accountId, { address: '192.0.2.1' });
      release();
      return response;
    }

    const rejected = { status: 403, html: expect.stringContaining('id="error-form-expired"') };

    it('changes nothing', async () => {
      const { id, email } = await server.addAccount({ name: 'Ada Lovelace' });
      const thief = await signInThief(email);
      const page = await thief.open('/account/name');
      const send = () => thief.submit(page, 'change-name', { name: 'Eve' });
      expect(await endWhileSending(id, send)).toMatchObject(rejected);
      expect((await server.accounts.get(id)).profile.name).toBe('Ada Lovelace');
    });

    it('uploads no logo', async () => {
      const { id, email } = await server.addAccount();
      const thief = await signInThief(email);
      const application = await register(thief);
      const body = new FormData();
      body.append('csrf', csrfIn(await thief.open(application.path)));
      body.append('logo', new File([new Uint8Array(png())], 'logo.png'));
      const send = () => thief.send(`${application.path}/logo`, { method: 'POST', body });
      expect(await endWhileSending(id, send)).toMatchObject(rejected);
      expect((await server.clients.get(application.id)).logoDigest).toBeNull();
    });
  });

  describe('a request in flight while its session is ended (CWE-613, OWASP ASVS 5.0 §7.4.1)', () => {
    /** Ends the session of another browser while its authorization request waits to write. */
    async function endInFlight(
      journey: Journey,
      other: Journey,
      { prompt = 'consent', ...write }: HeldWrite,
    ) {
      const page = await journey.browser.open('/account/sessions');
      const isHeld = hold(write);
      // The flow may fail at any step.
      const flow = obtainTokens(other, { prompt }).catch(() => undefined);
      const { release } = await isHeld;
      await journey.browser.submit(page, 'end-other-sessions');
      release();
      return flow;
    }

    async function expectSignedOut(other: Journey): Promise<void> {
      expect((await other.browser.open('/account')).url.pathname).toBe('/sign-in');
      const { url } = await other.browser.open((await createRequest(other, { prompt: 'none' })).url);
      expect(url.searchParams.get('error')).toBe('login_required');
    }

    async function signInOnPhone(journey: Journey): Promise<Journey> {
      const other = { ...journey, browser: createBrowser(server.url) };
      const page = await other.browser.open('/sign-in');
      await other.browser.submit(page, 'sign-in', { email: journey.email, password });
      return other;
    }

    it.each([
      ['session', { model: 'Session', after: 0 }],
      ['session under its next id', { model: 'Session', after: 1 }],
      ['grant', { model: 'Grant', after: 0 }],
      ['code', { model: 'AuthorizationCode', after: 0 }],
      ['refresh token', { model: 'RefreshToken', after: 0 }],
    ])('gives no access by a %s that it stores afterwards', async (_, write) => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const other = await signInOnPhone(journey);
      const tokens = await endInFlight(journey, other, write);
      await expectSignedOut(other);
      if (!tokens) return;
      const refresh = oauth.refreshTokenGrant(other.application, tokens.refresh_token ?? '');
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('gives no access by a grant that it stores without asking, as of a verified application', async () => {
      const journey = await startJourney(server);
      await server.clients.setVerified(journey.clientId, true);
      await obtainTokens(journey);
      const other = await signInOnPhone(journey);
      expect(await endInFlight(journey, other, { model: 'Grant', after: 0, prompt: '' })).toBeUndefined();
      await expectSignedOut(other);
    });
  });
});
