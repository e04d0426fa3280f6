import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { createRequest, type Journey, obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  const openPage = ({ browser }: Journey) => browser.open('/account/applications');
  const revoke = ({ browser, clientId }: Journey, page: Page) => browser.submit(page, `revoke-${clientId}`);

  describe('connected applications', () => {
    it('are listed with scopes, date of consent and last use', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const { html } = await openPage(journey);
      expect(html).toContain('Printshop Status');
      expect(html).toContain('Read tickets');
      expect(html).toContain('Stay connected');
      expect(html).not.toContain('Create and change tickets');
      // The last use is read from the audit log, to which token events are written in batches.
      const shownTimes = async () => (await openPage(journey)).html.match(/<time datetime="[^"]+"/g);
      await expect.poll(shownTimes).toHaveLength(2);
    });

    it('include the identity that access to the helpdesk implies', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey, { scope: 'openid tickets:read', prompt: '' });
      expect((await openPage(journey)).html).toContain('your name and e-mail address');
    });

    it('are listed with individually granted claims (OpenID Connect Core §5.5), even after log-out', async () => {
      const journey = await startJourney(server);
      const { browser, email } = journey;
      const claims = JSON.stringify({ userinfo: { phone_number: null } });
      await obtainTokens(journey, { scope: 'openid', prompt: '', claims });
      expect((await openPage(journey)).html).toContain('See your phone number');
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      const page = await browser.submit(await openPage(journey), 'sign-in', { email, password });
      expect(page.html).toContain('See your phone number');
    });

    it('are not shown as never used after the audit records of their use are pruned', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const issued = { types: ['token.issued'], clientId: journey.clientId, limit: 1 } as const;
      await expect.poll(() => storage.get().audit.list(issued)).toHaveLength(1);
      await storage.get().audit.prune(new Date(Date.now() + 60_000), 1_000);
      expect((await openPage(journey)).html).toContain('<dt>Last used</dt><dd>Not on record</dd>');
    });

    it('are empty for a user who has consented to none', async () => {
      const journey = await startJourney(server);
      const page = await journey.browser.open('/account/applications');
      const shown = await journey.browser.submit(page, 'sign-in', { email: journey.email, password });
      expect(shown.url.pathname).toBe('/account/applications');
      expect(shown.html).not.toContain('id="connected-applications"');
    });

    it('are listed after log-out if the consent is still valid', async () => {
      const journey = await startJourney(server);
      const { browser, email } = journey;
      await obtainTokens(journey, { scope: 'openid tickets:read', prompt: '' });
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      const page = await browser.submit(await openPage(journey), 'sign-in', { email, password });
      expect(page.html).toContain('Read tickets');
      expect((await revoke(journey, page)).html).not.toContain('Read tickets');
    });

    it('are not listed after log-out if they lost their verification and would ask for consent again', async () => {
      const journey = await startJourney(server);
      const { browser, email } = journey;
      await obtainTokens(journey, { scope: 'openid tickets:read', prompt: '' });
      await browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      await server.clients.setVerified(journey.clientId, false);
      const page = await browser.submit(await openPage(journey), 'sign-in', { email, password });
      expect(page.html).not.toContain('Read tickets');
    });

    it('are not shown to another user', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      const other = await server.addAccount();
      const browser = createBrowser(server.url);
      const page = await browser.open('/account/applications');
      const shown = await browser.submit(page, 'sign-in', { email: other.email, password });
      expect(shown.html).not.toContain('Printshop Status');
    });
  });

  describe('revoking the access of an application', () => {
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

    it('invalidates an authorization code that was not yet redeemed', async () => {
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

    it('leaves the session and other applications unchanged, and is recorded', async () => {
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

    it('also deletes the remembered consent of a verified application', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey);
      await revoke(journey, await openPage(journey));
      const { url } = await createRequest(journey, { prompt: '' });
      expect((await journey.browser.open(url)).html).toContain('id="consent"');
    });

    it('is rejected without the CSRF token of the form (RFC 9700 §2.1, CSRF)', async () => {
      const journey = await startJourney(server);
      const { refresh_token: token = '' } = await obtainTokens(journey);
      const page = await openPage(journey);
      const refused = await journey.browser.submit(page, `revoke-${journey.clientId}`, { csrf: 'x' });
      expect(refused.status).toBe(403);
      expect((await oauth.refreshTokenGrant(journey.application, token)).access_token).toBeDefined();
    });
  });
});
