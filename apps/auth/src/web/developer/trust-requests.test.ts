import { useStarted } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';
import { startMailbox } from '../account/mailbox.fixture.ts';
import { csrfIn, register, signIn } from './portal.fixture.ts';

const OPERATOR = 'operator@example.org';
const machine = { type: 'machine', name: 'Importer' };
const agent = { trust_role: 'agent', role_reason: 'It imports\ntickets at night.' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  const server = useStarted(() =>
    startTestServer(storage.get(), { config: { ...mailbox.config, operatorEmail: OPERATOR } }),
  );

  async function startDeveloper() {
    const developer = await server.addAccount({ name: 'Grace Hopper' });
    const browser = await signIn(server, developer);
    const application = await register(browser, machine, 'tickets:read');
    return { browser, developer, ...application };
  }
  const requestsOf = async (id: string) => (await server.clients.get(id)).trustRequests;

  describe('the page of an application', () => {
    it('accepts a request for a role, mails the operator, and shows the request as pending', async () => {
      const { browser, developer, id, path } = await startDeveloper();
      const sent = await browser.submit(await browser.open(path), 'request-role', agent);
      expect(sent.url.pathname).toBe(path);
      expect(sent.html).toContain('id="notice"');
      expect(sent.html).toMatch(/id="trust-role-state".*not decided yet/s);
      expect((await requestsOf(id)).role).toMatchObject({
        role: 'agent',
        reason: 'It imports tickets at night.',
      });
      const mails = await mailbox.mailsTo(OPERATOR);
      const mail = mails.find(({ body }) => body.includes(id));
      expect(mail?.body).toContain('requests the role agent');
      expect(mail?.body).not.toContain('at night');
      const [record] = await storage.get().audit.list({ clientId: id, limit: 1 });
      expect(record).toMatchObject({ type: 'client.trust_requested', actor: developer.id });
    });

    it('mails the operator in the configured language', async () => {
      const operatorEmail = 'betrieb@example.org';
      const config = { ...mailbox.config, operatorEmail, operatorLanguage: 'de' } as const;
      const other = await startTestServer(storage.get(), { config });
      onTestFinished(other.stop);
      const browser = await signIn(other, await other.addAccount({ name: 'Grace Hopper' }));
      const { path } = await register(browser, machine, 'tickets:read');
      await browser.submit(await browser.open(path), 'request-role', agent);
      const [mail] = await mailbox.mailsTo(operatorEmail);
      expect(mail?.body).toContain('die Rolle agent beantragt');
    });

    it('withdraws a request and offers the form again', async () => {
      const { browser, id, path } = await startDeveloper();
      const page = await browser.submit(await browser.open(path), 'request-role', agent);
      const withdrawn = await browser.submit(page, 'withdraw-role');
      expect(withdrawn.html).toContain('id="request-role"');
      expect((await requestsOf(id)).role?.status).toBe('withdrawn');
      const again = await browser.submit(page, 'withdraw-role');
      expect(again.html).toContain('had changed in the meantime');
    });

    it('shows the reason of a rejection, and offers verification until it is granted', async () => {
      const { browser, id, path } = await startDeveloper();
      const reason = { verification_reason: 'We print your tickets.' };
      await browser.submit(await browser.open(path), 'request-verification', reason);
      const { verification } = await requestsOf(id);
      const decision = { status: 'rejected', reason: 'Please add an <imprint>.' } as const;
      await server.clients.decideTrustRequest(verification?.id ?? '', decision);
      const page = await browser.open(path);
      expect(page.html).toContain('Please add an &lt;imprint&gt;.');
      expect(page.html).toContain('id="request-verification"');
      await server.clients.setVerified(id, true);
      expect((await browser.open(path)).html).not.toContain('id="trust-verification"');
    });

    it('shows all faults at once and keeps the input', async () => {
      const { browser, id, path } = await startDeveloper();
      const page = await browser.open(path);
      const rejected = await browser.submit(page, 'request-role', { role_reason: 'x'.repeat(501) });
      expect(rejected.status).toBe(400);
      expect(rejected.html).toContain('href="#trust_role"');
      expect(rejected.html).toContain('href="#role_reason"');
      expect(rejected.html).toContain('x'.repeat(501));
      expect((await requestsOf(id)).role).toBeNull();
    });

    it('does not replace a pending request with a second one', async () => {
      const { browser, id, path } = await startDeveloper();
      const page = await browser.open(path);
      await browser.submit(page, 'request-role', agent);
      const second = await browser.submit(page, 'request-role', { ...agent, trust_role: 'admin' });
      expect(second.html).toContain('had changed in the meantime');
      expect((await requestsOf(id)).role).toMatchObject({ role: 'agent', status: 'pending' });
    });

    it('accepts at most ten requests per day and account', async () => {
      const { browser, path } = await startDeveloper();
      for (let sent = 0; sent < 10; sent += 1) {
        const page = await browser.submit(await browser.open(path), 'request-role', agent);
        await browser.submit(page, 'withdraw-role');
      }
      const rejected = await browser.submit(await browser.open(path), 'request-role', agent);
      expect(rejected.status).toBe(429);
      expect(rejected.html).toContain('id="problems"');
    });

    it('rejects requests of other users, of unknown kinds and of other sites', async () => {
      const { browser, id, path, page } = await startDeveloper();
      const other = await startDeveloper();
      const html = (kind: string) => `<form id="forged" action="${path}/trust/${kind}"></form>`;
      const ownPage = await other.browser.open(other.path);
      const forged = { ...ownPage, html: html('role') };
      const posted = await other.browser.submit(forged, 'forged', { ...agent, csrf: csrfIn(ownPage) });
      expect(posted.status).toBe(404);
      const own = await browser.open(path);
      const emperor = { ...page, html: html('emperor') };
      expect((await browser.submit(emperor, 'forged', { ...agent, csrf: csrfIn(own) })).status).toBe(404);
      expect((await browser.submit({ ...page, html: html('role') }, 'forged', agent)).status).toBe(403);
      expect(await requestsOf(id)).toEqual({ role: null, verification: null });
    });
  });
});
