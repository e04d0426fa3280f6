import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, type Journey, signIn, startJourney } from '../../tests/people.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  const open = async (changes: Readonly<Record<string, string>>) =>
    journey.browser.open((await createRequest(journey, changes)).url);

  describe('a form that exceeds the size limit', () => {
    it.each(['/sign-in', '/interaction'])('is rejected on an error page at %s', async (path) => {
      const browser = createBrowser(server.url);
      const { url } = await createRequest(journey);
      const page = await browser.open(path === '/sign-in' ? path : url);
      const rejected = await browser.submit(page, 'sign-in', { email: 'x'.repeat(20_000) });
      expect([rejected.status, rejected.html.includes('id="error-too-large"')]).toEqual([413, true]);
    });
  });

  describe('an authorization request without a valid redirect URI', () => {
    it('shows the faulty parameters and a link to the account (RFC 6749 §4.1.2.1)', async () => {
      const sent = `https://evil.example/<b>${'x'.repeat(600)}`;
      const wrong = await open({ redirect_uri: sent });
      expect(wrong.html).toContain(`<code id="sent-client-id">${journey.clientId}</code>`);
      expect(wrong.html).toMatch(
        /<code id="sent-redirect-uri">https:\/\/evil\.example\/&lt;b&gt;x{400,480}<\/code>/,
      );
      expect(wrong.html).toContain('makes the application');
      const unknown = await open({ client_id: 'nobody' });
      expect(unknown.html).toContain('<code id="sent-client-id">nobody</code>');
      for (const { html } of [wrong, unknown]) expect(html).toMatch(/href="\/account"[^>]* id="account"/);
    });

    it('links to the home page of an application with an unregistered redirect URI', async () => {
      const homePage = 'https://printshop.example/';
      const withHome = await startJourney(server, { client: { homePage } });
      const { url } = await createRequest(withHome, { redirect_uri: 'https://evil.example/' });
      const page = await withHome.browser.open(url);
      expect(page.html).toMatch(/href="https:\/\/printshop\.example\/"[^>]* id="application"/);
    });

    it('of a client that was removed in the meantime ends on an error page', async () => {
      const removed = await startJourney(server);
      const consent = await signIn(removed, await removed.browser.open((await createRequest(removed)).url));
      await server.clients.remove(removed.clientId);
      const denied = await removed.browser.submit(consent, 'consent', { decision: 'deny' });
      expect([denied.status, denied.html.includes('id="error-unknown-client"')]).toEqual([400, true]);
    });
  });
});
