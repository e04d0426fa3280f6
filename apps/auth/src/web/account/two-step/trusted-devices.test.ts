import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import type { Page } from '../../../tests/browser.fixture.ts';
import { password } from '../../../tests/test-server.fixture.ts';
import { type Owner, useTwoStepServer } from './two-step-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox, submitPassword, newBrowser, addOwner } = useTwoStepServer(storage);

  describe('a trusted device', () => {
    /** Trusts the browser, then signs out in it. */
    async function trust({ browser, account, app }: Owner): Promise<Page> {
      const signOut = async () =>
        browser.submit(await browser.open('/session/end'), 'log-out', { logout: 'yes' });
      await signOut();
      const page = await submitPassword(browser, account.email);
      await browser.submit(page, 'second-factor', { code: app.nextCode(), trust_device: 'yes' });
      await signOut();
      return submitPassword(browser, account.email);
    }

    it.each(['/account/two-step/app', '/account/password', '/account/email'])(
      'is not asked for a code, but before changes at %s',
      async (path) => {
        const owner = await addOwner();
        expect((await trust(owner)).url.pathname).toBe('/account');
        const again = await owner.browser.open(path);
        expect(again.url.search).toContain('prompt=login');
        const step = await owner.browser.submit(again, 'sign-in', { email: owner.account.email, password });
        expect(step.url.pathname).toBe('/sign-in/second-factor');
        const done = await owner.browser.submit(step, 'second-factor', { code: owner.app.nextCode() });
        expect(done.url.pathname).toBe(path);
      },
    );

    it('ends with another address', async () => {
      const owner = await addOwner();
      await trust(owner);
      const [accountId, newEmail] = [owner.account.id, `new-${owner.account.email}`];
      const change = { accountId, newEmail, currentPassword: password };
      await server.accounts.requestEmailChange(change, operator);
      const link = new URL(await mailbox.linkTo(newEmail, '/confirm-email'));
      const token = link.searchParams.get('token') ?? '';
      const { credentialEpoch } = await server.accounts.get(accountId);
      const proof = { token, accountId, credentialEpoch, signedInAt: new Date() };
      await server.accounts.confirmEmailChange(proof, operator);
      await owner.browser.submit(await owner.browser.open('/session/end'), 'log-out', { logout: 'yes' });
      const step = await submitPassword(owner.browser, newEmail);
      expect(step.url.pathname).toBe('/sign-in/second-factor');
    });

    it('ends with new recovery codes', async () => {
      const owner = await addOwner();
      await trust(owner);
      const again = await owner.browser.open('/account/two-step/app');
      const step = await owner.browser.submit(again, 'sign-in', { email: owner.account.email, password });
      await owner.browser.submit(step, 'second-factor', { code: owner.app.nextCode() });
      await owner.browser.submit(await owner.browser.open('/account/two-step'), 'new-codes');
      await owner.browser.submit(await owner.browser.open('/session/end'), 'log-out', { logout: 'yes' });
      const asked = await submitPassword(owner.browser, owner.account.email);
      expect(asked.url.pathname).toBe('/sign-in/second-factor');
    });

    it.each(['ends with a change of the password', 'ends after 30 days', 'ends on the page of sessions'])(
      '%s',
      async (how) => {
        const owner = await addOwner();
        const { account, browser } = owner;
        await trust(owner);
        const [device] = (await storage.get().factors.find(account.id))?.trustedDevices ?? [];
        if (how.includes('password'))
          await server.accounts.setPassword({ accountId: account.id, newPassword: password }, operator);
        else if (how.includes('sessions')) {
          const page = await browser.open('/account/sessions');
          expect((await browser.submit(page, `end-trust-${device?.id}`)).url.pathname).toBe('/sign-in');
        } else server.time.ahead += 31 * 86_400_000;
        const page = await submitPassword(newBrowser(), account.email);
        expect(page.html).toContain('id="second-factor"');
        expect((await submitPassword(browser, account.email)).html).toContain('id="second-factor"');
      },
    );
  });
});
