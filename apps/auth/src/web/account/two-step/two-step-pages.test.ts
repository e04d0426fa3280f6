import { describe, expect, it } from 'vitest';
import type { Account } from '../../../accounts/account/account.ts';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { createPasskey } from '../../../accounts/factors/passkey.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { setUpApp } from '../../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { useTwoStepServer } from './two-step-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox, submitPassword, newBrowser, addOwner } = useTwoStepServer(storage);
  const isSignedIn = async (browser: Browser) => (await browser.open('/account')).url.pathname === '/account';
  const codesIn = ({ html }: Page) => html.match(/\b(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}\b/g) ?? [];

  async function typesOf({ id: accountId }: Account): Promise<string[]> {
    return (await storage.get().audit.list({ accountId, limit: 50 })).map(({ type }) => type);
  }

  describe('an authenticator app on the account page (OWASP ASVS 5.0 §6.5)', () => {
    it('is set up only after a right code, and asked for in every other browser', async () => {
      const account = await server.addAccount();
      const [browser, other] = [newBrowser(), newBrowser()];
      for (const each of [browser, other]) await submitPassword(each, account.email);
      const page = await browser.open('/account/two-step/app');
      expect((await browser.submit(page, 'set-up-totp', { code: '000' })).status).toBe(400);
      expect((await storage.get().factors.find(account.id))?.totp ?? null).toBeNull();
      const { shown, recoveryCodes } = await setUpApp(browser, page, server);
      expect(recoveryCodes).toHaveLength(10);
      expect(shown.html).toContain('download="recovery-codes.txt"');
      const overview = await browser.open('/account/two-step');
      expect([overview.status, overview.html.includes('Unused: 10.')]).toEqual([200, true]);
      expect(codesIn(overview)).toEqual([]);
      expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    });

    it('stores neither its secret nor recovery codes in clear (ASVS 5.0 §6.5.2)', async () => {
      const { account, recoveryCodes, browser } = await addOwner();
      const stored = JSON.stringify(await storage.get().factors.find(account.id));
      for (const code of recoveryCodes) expect(stored).not.toContain(code.replaceAll('-', ''));
      expect((await browser.open('/account/two-step')).html).not.toContain('otpauth:');
      expect(server.logged()).not.toContain(recoveryCodes[0]);
    });

    it('is set up once for each form, so that a repeated one does not replace the codes that were shown', async () => {
      const account = await server.addAccount();
      const browser = newBrowser();
      await submitPassword(browser, account.email);
      const page = await browser.open('/account/two-step/app');
      const { app, recoveryCodes } = await setUpApp(browser, page, server);
      const again = await browser.submit(page, 'set-up-totp', { code: app.currentCode() });
      expect([again.url.pathname, codesIn(again)]).toEqual(['/account/two-step', []]);
      const other = newBrowser();
      const step = await submitPassword(other, account.email);
      await other.submit(step, 'recovery', { recovery_code: recoveryCodes[0] ?? '' });
      expect(await isSignedIn(other)).toBe(true);
    });

    it('replaces one whose secret cannot be opened, as after a new master secret', async () => {
      const { account, browser } = await addOwner();
      const { factors } = storage.get();
      const stored = await factors.find(account.id);
      if (!stored?.totp) throw new Error('The account has no app.');
      const totp = { ...stored.totp, sealedSecret: 'c2VhbGVk' };
      await factors.replace(updateDocument(stored, { totp }), stored.version);
      const page = await browser.open('/account/two-step/app');
      expect((await setUpApp(browser, page, server)).recoveryCodes).toHaveLength(10);
    });

    it('is removed with its codes, and the owner gets a mail', async () => {
      const { account, browser } = await addOwner();
      const page = await browser.submit(await browser.open('/account/two-step'), 'remove');
      expect(page.html).toContain('Two-step verification is off.');
      expect((await submitPassword(newBrowser(), account.email)).url.pathname).toBe('/account');
      const mails = await mailbox.mailsTo(account.email, 2);
      expect(mails.map(({ body }) => body).join()).toContain('was removed, with its recovery codes');
      expect(await typesOf(account)).toEqual(
        expect.arrayContaining(['account.totp_added', 'account.totp_removed']),
      );
    });

    it('cannot be removed if the role requires it, but replaced', async () => {
      const { account, browser, app } = await addOwner();
      await server.accounts.setRole(account.id, 'agent', operator);
      const asked = await submitPassword(browser, account.email);
      await browser.submit(asked, 'second-factor', { code: app.nextCode() });
      const page = await browser.open('/account/two-step');
      expect(page.html).not.toContain('id="remove"');
      const forged = await browser.submit(page, 'new-codes', { change: 'remove' });
      expect(forged.status).toBe(403);
      const replaced = await setUpApp(browser, await browser.open('/account/two-step/app'), server);
      const other = newBrowser();
      const step = await submitPassword(other, account.email);
      expect((await other.submit(step, 'second-factor', { code: app.nextCode() })).status).toBe(400);
      await other.submit(step, 'second-factor', { code: replaced.app.nextCode() });
      expect(await isSignedIn(other)).toBe(true);
    });

    it('belongs to the account whose page offered it', async () => {
      const [{ browser }, other] = [await addOwner(), await server.addAccount()];
      const sealed = /name="sealed" value="([^"]+)"/.exec(
        (await browser.open('/account/two-step/app')).html,
      )?.[1];
      const stranger = newBrowser();
      await submitPassword(stranger, other.email);
      const page = await stranger.open('/account/two-step/app');
      const answer = await stranger.submit(page, 'set-up-totp', { sealed: sealed ?? '', code: '123456' });
      expect(answer.status).toBe(400);
    });
  });

  describe('a recovery code (OWASP ASVS 5.0 §6.5.1)', () => {
    it('replaces the app once, however it is typed, and the owner gets a mail', async () => {
      const { account, recoveryCodes } = await addOwner();
      const typed = (recoveryCodes[0] ?? '').toLowerCase().replaceAll('-', ' ');
      const [browser, other] = [newBrowser(), newBrowser()];
      const page = await submitPassword(browser, account.email);
      expect((await browser.submit(page, 'recovery', { recovery_code: 'ABCD' })).status).toBe(400);
      await browser.submit(page, 'recovery', { recovery_code: typed });
      expect(await isSignedIn(browser)).toBe(true);
      const again = await submitPassword(other, account.email);
      expect((await other.submit(again, 'recovery', { recovery_code: typed })).status).toBe(400);
      const mails = await mailbox.mailsTo(account.email, 2);
      expect(mails.map(({ body }) => body).join()).toContain('that are left: 9');
      const [record] = await storage
        .get()
        .audit.list({ accountId: account.id, types: ['account.recovery_code_used'], limit: 1 });
      expect(record?.details).toEqual({ left: '9' });
    });

    it('is asked to be renewed when three are left', async () => {
      const { account, browser } = await addOwner();
      const { factors } = storage.get();
      for (const [used, isShown] of [
        [6, false],
        [7, true],
      ] as const) {
        const stored = await factors.find(account.id);
        if (!stored) throw new Error('The account has no factors.');
        const recoveryCodes = stored.recoveryCodes.map((code, index) => {
          return { ...code, usedAt: index < used ? new Date() : null };
        });
        await factors.replace({ ...stored, recoveryCodes, version: stored.version + 1 }, stored.version);
        expect((await browser.open('/account/two-step')).html.includes('id="few-codes"')).toBe(isShown);
      }
    });

    it('works for one of 20 concurrent sign-ins in two servers', async () => {
      const { account, recoveryCodes } = await addOwner();
      const second = await startTestServer(await storage.openAnother(), {
        config: { ...mailbox.config, signInFailuresPerAccountAndNetwork: 0, signInFailuresPerAccount: 0 },
      });
      const waiting = [];
      for (let i = 0; i < 20; i += 1) {
        const browser = createBrowser(i % 2 ? server.url : second.url);
        waiting.push({ browser, page: await submitPassword(browser, account.email) });
      }
      second.time.ahead = server.time.ahead;
      const recovery = { recovery_code: recoveryCodes[3] ?? '' };
      const answers = await Promise.all(
        waiting.map(({ browser, page }) => browser.submit(page, 'recovery', recovery)),
      );
      expect(answers.filter(({ url }) => url.pathname === '/account')).toHaveLength(1);
      expect(answers.every(({ status }) => status < 500)).toBe(true);
      await second.stop();
    });

    it('ends when the owner disowns the sign-in in which it was made (ASVS 5.0 §7.4.3)', async () => {
      const { account, app } = await addOwner();
      const { email, id } = account;
      await mailbox.signInMailsTo(email);
      const thief = newBrowser();
      await thief.submit(await submitPassword(thief, email), 'second-factor', { code: app.nextCode() });
      const thiefsCodes = codesIn(await thief.submit(await thief.open('/account/two-step'), 'new-codes'));
      expect(thiefsCodes).toHaveLength(10);
      const bodies = (await mailbox.signInMailsTo(email, 2)).map(({ body }) => body);
      const link = bodies.at(-1)?.match(/https?:\/\/[^\s"<]+\/not-me\?token=[\w-]+/)?.[0] ?? '';
      const owner = newBrowser();
      await owner.submit(await owner.open(link), 'disown-sign-in');
      const types = ['account.recovery_codes_removed', 'account.totp_removed'] as const;
      const removals = await storage.get().audit.list({ accountId: id, types, limit: 5 });
      expect(removals.map(({ type }) => type)).toEqual(['account.recovery_codes_removed']);
      await server.accounts.setPassword({ accountId: id, newPassword: password }, operator);

      const step = await submitPassword(thief, email);
      const answer = await thief.submit(step, 'recovery', { recovery_code: thiefsCodes[0] ?? '' });
      expect(answer.status).toBe(400);
      await thief.submit(step, 'second-factor', { code: app.nextCode() });
      expect(await isSignedIn(thief)).toBe(true);
    });

    it('ends when new ones are made, once for each form', async () => {
      const { account, browser, recoveryCodes } = await addOwner();
      const page = await browser.open('/account/two-step');
      const fresh = codesIn(await browser.submit(page, 'new-codes'));
      expect(new Set([...fresh, ...recoveryCodes]).size).toBe(20);
      expect(codesIn(await browser.submit(page, 'new-codes'))).toEqual([]);
      const other = newBrowser();
      const step = await submitPassword(other, account.email);
      expect((await other.submit(step, 'recovery', { recovery_code: recoveryCodes[1] ?? '' })).status).toBe(
        400,
      );
      await other.submit(step, 'recovery', { recovery_code: fresh[1] ?? '' });
      expect(await isSignedIn(other)).toBe(true);
    });
  });

  describe('a required factor in its grace period', () => {
    it('can be postponed until the period ends', async () => {
      const { email } = await server.addAccount({ role: 'agent' });
      const browser = newBrowser();
      const offered = await submitPassword(browser, email);
      expect(offered.html).toContain('id="later"');
      await browser.submit(offered, 'later');
      expect(await isSignedIn(browser)).toBe(true);
      server.time.ahead += 7 * 86_400_000;
      expect(await isSignedIn(browser)).toBe(false);
      const due = await submitPassword(browser, email);
      expect([due.html.includes('id="set-up-totp"'), due.html.includes('id="later"')]).toEqual([true, false]);
      const skipped = await browser.submit(due, 'set-up-totp', { later: 'yes' });
      expect([skipped.status, await isSignedIn(browser)]).toEqual([400, false]);
    });
  });

  describe('guesses of codes (OWASP ASVS 5.0 §6.3.1)', () => {
    it('are limited, but do not lock out a device that has passed the second factor', async () => {
      const { account, app } = await addOwner();
      const known = newBrowser();
      const step = await submitPassword(known, account.email);
      await known.submit(step, 'second-factor', { code: app.nextCode() });
      const attacker = newBrowser();
      const page = await submitPassword(attacker, account.email);
      const statuses = [];
      for (let i = 0; i < 11; i += 1)
        statuses.push((await attacker.submit(page, 'second-factor', { code: app.wrongCode() })).status);
      expect(statuses).toEqual([...Array(10).fill(400), 429]);
      const other = newBrowser();
      const elsewhere = await submitPassword(other, account.email);
      expect((await other.submit(elsewhere, 'second-factor', { code: app.nextCode() })).status).toBe(429);
      await known.submit(await known.open('/session/end'), 'log-out', { logout: 'yes' });
      const again = await submitPassword(known, account.email);
      await known.submit(again, 'second-factor', { code: app.nextCode() });
      expect(await isSignedIn(known)).toBe(true);
      expect(await typesOf(account)).toContain('account.second_factor_limited');
    });
  });

  describe('an operator who resets the factors', () => {
    it('ends every session; the owner gets a mail and signs in with the password', async () => {
      const { account, browser } = await addOwner();
      await server.accounts.factorChanges.resetFactors(account.id, operator);
      expect(await isSignedIn(browser)).toBe(false);
      expect((await submitPassword(browser, account.email)).url.pathname).toBe('/account');
      expect(await storage.get().factors.find(account.id)).toMatchObject({ totp: null, recoveryCodes: [] });
      const mails = await mailbox.mailsTo(account.email, 2);
      expect(mails.map(({ body }) => body).join()).toContain('signed you out everywhere');
    });
  });

  it('a user whose only way to sign in was reset by an operator chooses a password, as the mail says', async () => {
    const { email, id } = await server.addAccount({ password: undefined });
    const { factors } = storage.get();
    await factors.replace({ ...createFactors(id), passkeys: [createPasskey()], version: 1 }, 0);
    await server.accounts.factorChanges.resetFactors(id, operator);
    const [mail] = await mailbox.mailsTo(email);
    expect(mail?.body).toContain('If your account has no password');
    const browser = newBrowser();
    await browser.submit(await browser.open('/forgot-password'), 'forgot-password', { email });
    const page = await browser.open(await mailbox.linkTo(email, '/reset-password'));
    await browser.submit(page, 'reset-password', { password });
    expect((await submitPassword(browser, email)).url.pathname).toBe('/account');
  });

  it('the removal of an account deletes its factors', async () => {
    const { account } = await addOwner();
    await server.accounts.remove(account.id, operator);
    expect(await storage.get().factors.find(account.id)).toBeUndefined();
  });
});
