import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Page } from '../../tests/browser.fixture.ts';
import {
  createRequest,
  type Journey,
  obtainTokens,
  type Request,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';
import { useMailboxServer } from '../account/use-mailbox-server.fixture.ts';

const scope = 'openid email tickets:read';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage);

  const ask = (journey: Journey, prompt = 'create') => createRequest(journey, { scope, prompt });
  const linkOf = (page: Page, id: string) =>
    new RegExp(`href="([^"]+)" id="${id}"`).exec(page.html)?.[1] ?? `no link ${id}`;

  /** Signs up and verifies the address by mail; returns the page that continues the interaction. */
  async function signUp({ browser }: Journey, page: Page, email: string): Promise<Page> {
    await browser.submit(page, 'sign-up', { name: 'Grace', email, password });
    const signInPage = await browser.open(await mailbox.linkTo(email, '/verify-email'));
    const verification = await browser.submit(signInPage, 'sign-in', { email, password });
    const verified = await browser.submit(verification, 'verify-email');
    return browser.open(
      /href="(\/interaction\/[^"]+)"/.exec(verified.html)?.[1] ?? 'no link to the interaction',
    );
  }

  async function subjectOf(journey: Journey, request: Request, consent: Page) {
    const { url } = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
    return (await redeem(journey, request, url)).claims()?.sub;
  }

  describe('a request with prompt=create (Prompt Create §4.1)', () => {
    it('returns the user with the new account', async () => {
      const [journey, email] = [await startJourney(server), `${randomUUID()}@example.org`];
      const request = await ask(journey);
      const page = await journey.browser.open(request.url);
      expect(page.url.pathname).toBe('/sign-up');
      expect(page.html).toContain('Printshop Status');
      const consent = await signUp(journey, page, email);
      expect(consent.html).toContain(email);
      const account = await storage.get().accounts.findByEmail(email);
      expect(await subjectOf(journey, request, consent)).toBe(account?.id);
    });

    it('returns the user with the new account even if they were signed in to another one', async () => {
      const [journey, email] = [await startJourney(server), `${randomUUID()}@example.org`];
      await obtainTokens(journey, { scope, prompt: 'login' });
      const request = await ask(journey);
      const page = await journey.browser.open(request.url);
      expect(page.url.pathname).toBe('/sign-up');
      const consent = await signUp(journey, page, email);
      const account = await storage.get().accounts.findByEmail(email);
      expect(await subjectOf(journey, request, consent)).toBe(account?.id);
    });

    it.each(['create', 'create login', 'create consent'])(
      'returns the user with their existing account if they sign in instead (prompt=%s)',
      async (prompt) => {
        const journey = await startJourney(server);
        const request = await ask(journey, prompt);
        const page = await journey.browser.open(request.url);
        const signInPage = await journey.browser.open(linkOf(page, 'to-sign-in'));
        const consent = await signIn(journey, signInPage);
        expect(await subjectOf(journey, request, consent)).toBe(journey.accountId);
      },
    );

    it('returns a signed-in user with their account if they sign in instead', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey, { scope, prompt: 'login' });
      const request = await ask(journey);
      const page = await journey.browser.open(request.url);
      const { url } = await journey.browser.open(linkOf(page, 'to-sign-in'));
      expect((await redeem(journey, request, url)).claims()?.sub).toBe(journey.accountId);
    });

    it('requires the password with prompt=login, too', async () => {
      const journey = await startJourney(server);
      await obtainTokens(journey, { scope, prompt: 'login' });
      const page = await journey.browser.open((await ask(journey, 'create login')).url);
      const again = await journey.browser.open(linkOf(page, 'to-sign-in'));
      expect(again.html).toContain('id="sign-in"');
      expect((await signIn(journey, again)).html).not.toContain('id="sign-in"');
    });

    it('is answered with access_denied if the user cancels', async () => {
      const journey = await startJourney(server);
      const page = await journey.browser.open((await ask(journey)).url);
      const { url } = await journey.browser.open(linkOf(page, 'cancel'));
      expect(url.searchParams.get('error')).toBe('access_denied');
    });
  });

  describe('prompt=create with closed sign-up (Prompt Create §4.1, §4.2)', () => {
    it('is not advertised, and answered with invalid_request', async () => {
      const config = { ...mailbox.config, isSignUpOpen: false };
      const closed = await startTestServer(storage.get(), { config });
      const journey = await startJourney(closed);
      const { prompt_values_supported: prompts } = journey.application.serverMetadata();
      expect(prompts).toEqual(['none', 'login', 'consent']);
      const { url } = await journey.browser.open((await ask(journey)).url);
      expect(url.searchParams.get('error')).toBe('invalid_request');
      await closed.stop();
    });
  });
});
