import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { createBrowser, type Page } from '../browser.fixture.ts';
import { createRequest, type Journey, obtainTokens, startJourney } from '../people.fixture.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { password, startTestServer } from '../test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  const openPage = ({ browser }: Journey) => browser.open('/account/applications');
  const revoke = ({ browser, clientId }: Journey, page: Page) => browser.submit(page, `revoke-${clientId}`);

  describe('connected applications', () => {
    it('tell what each may do, since when and when it was used last', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const { html } = await openPage(journey);
      expect(html).toContain('Printshop Status');
      expect(html).toContain('Read tickets');
      expect(html).toContain('Stay connected');
      expect(html).not.toContain('Create and change tickets');
      // When it was used is known from the audit record, which token events reach in batches.
      const timesShown = async () => (await openPage(journey)).html.match(/<time datetime="[^"]+"/g);
      await expect.poll(timesShown).toHaveLength(2);
    });

    it('name the identity that comes with access to the helpdesk', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey, { scope: 'openid tickets:read', prompt: '' });
      expect((await openPage(journey)).html).toContain('Know your name and e-mail address');
    });

    it('tell what each was allowed one by one (OpenID Connect Core §5.5), after a log-out, too', async () => {
      const journey = await startJourney(server);
      const { browser, email } = journey;
      const claims = JSON.stringify({ userinfo: { phone_number: null } });
      await obtainTokens(journey, { scope: 'openid', prompt: '', claims });
      expect((await openPage(journey)).html).toContain('See your phone number');
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      const page = await browser.submit(await openPage(journey), 'sign-in', { email, password });
      expect(page.html).toContain('See your phone number');
    });

    it('claim of none that it was never used, once the record of that is pruned', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const issued = { types: ['token.issued'], clientId: journey.clientId, limit: 1 } as const;
      await expect.poll(() => storage.get().audit.list(issued)).toHaveLength(1);
      await storage.get().audit.prune(new Date(Date.now() + 60_000), 1_000);
      expect((await openPage(journey)).html).toContain('<dt>Last used</dt><dd>Not on record</dd>');
    });

    it('are none for who has allowed nothing', async () => {
      const journey = await startJourney(server);
      const page = await journey.browser.open('/account/applications');
      const shown = await journey.browser.submit(page, 'sign-in', { email: journey.email, password });
      expect(shown.url.pathname).toBe('/account/applications');
      expect(shown.html).not.toContain('id="connected-applications"');
    });

    it('are still shown after a log-out, when they would not ask again', async () => {
      const journey = await startJourney(server);
      const { browser, email } = journey;
      await obtainTokens(journey, { scope: 'openid tickets:read', prompt: '' });
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      const page = await browser.submit(await openPage(journey), 'sign-in', { email, password });
      expect(page.html).toContain('Read tickets');
      expect((await revoke(journey, page)).html).not.toContain('Read tickets');
    });

    it('are not shown after a log-out when they would ask again, for nobody vouches for them any longer', async () => {
      const journey = await startJourney(server);
      const { browser, email } = journey;
      await obtainTokens(journey, { scope: 'openid tickets:read', prompt: '' });
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      await server.clients.setVerified(journey.clientId, false);
      const page = await browser.submit(await openPage(journey), 'sign-in', { email, password });
      expect(page.html).not.toContain('Read tickets');
    });

    it('are shown to nobody else', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const other = await server.addAccount();
      const browser = createBrowser(server.url);
      const page = await browser.open('/account/applications');
      const shown = await browser.submit(page, 'sign-in', { email: other.email, password });
      expect(shown.html).not.toContain('Printshop Status');
    });
  });

  describe('taking back what an application may do', () => {
    it('ends its refresh tokens and its consent at once, on every device', async () => {
      const journey = await startJourney(server);
      const phone = { ...journey, browser: createBrowser(server.url) };
      const tokens = [await obtainTokens(journey), await obtainTokens(phone)];
      const page = await revoke(journey, await openPage(journey));
      expect(page.html).toContain('id="notice"');
      expect(page.html).not.toContain('id="connected-applications"');
      for (const { refresh_token: token = '' } of tokens)
        await expect(oauth.refreshTokenGrant(journey.application, token)).rejects.toMatchObject({
          error: 'invalid_grant',
        });
      for (const { browser } of [journey, phone]) {
        const { url } = await createRequest(journey, { prompt: 'none' });
        const answer = await browser.open(url);
        expect(answer.url.searchParams.get('error')).toBe('consent_required');
      }
    });

    it('ends a code that was not redeemed yet', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const request = await createRequest(journey, { prompt: 'none' });
      const { url } = await journey.browser.open(request.url);
      await revoke(journey, await openPage(journey));
      const checks = {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
      };
      await expect(oauth.authorizationCodeGrant(journey.application, url, checks)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    });

    it('leaves the person signed in, other applications as they are, and a record', async () => {
      const journey = await startJourney(server);
      const other = { ...(await startJourney(server)), email: journey.email, browser: journey.browser };
      await obtainTokens(journey);
      const { refresh_token: kept = '' } = await obtainTokens(other);
      await revoke(journey, await openPage(journey));
      expect((await openPage(journey)).html).toContain(`id="revoke-${other.clientId}"`);
      expect((await oauth.refreshTokenGrant(other.application, kept)).access_token).toBeDefined();
      const { accountId, clientId } = journey;
      const types = ['grant.revoked'] as const;
      const [record] = await storage.get().audit.list({ accountId, clientId, types, limit: 1 });
      expect(record).toMatchObject({ actor: accountId, address: '127.0.0.1' });
    });

    it('also forgets what a verified application would be allowed without asking', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      await revoke(journey, await openPage(journey));
      const { url } = await createRequest(journey, { prompt: '' });
      expect((await journey.browser.open(url)).html).toContain('id="consent"');
    });

    it('is refused without the token of the form (RFC 9700 §2.1, CSRF)', async () => {
      const journey = await startJourney(server);
      const { refresh_token: token = '' } = await obtainTokens(journey);
      const page = await openPage(journey);
      const refused = await journey.browser.submit(page, `revoke-${journey.clientId}`, { csrf: 'x' });
      expect(refused.status).toBe(403);
      expect((await oauth.refreshTokenGrant(journey.application, token)).access_token).toBeDefined();
    });
  });
});
