import { randomUUID } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { type Account, updateAccount } from '../../../accounts/account/account.ts';
import type { AccountEventType } from '../../../accounts/account/account-event.ts';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { createPasskey } from '../../../accounts/factors/passkey.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { obtainTokens, startJourney } from '../../../tests/people.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { startMailbox } from '../mailbox.fixture.ts';

const newPassword = 'seven quiet harbours';
const ONE_DAY_MS = 86_400_000;
/** Only bounds a test that fails. */
const WAIT = { timeout: 30_000 };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  /** Runs once after the next search for an account by address. */
  let afterFind: ((found: Account | undefined) => Promise<unknown>) | undefined;
  const server = useStarted(() => startTestServer(withAfterFind(), { config: mailbox.config }));

  function withAfterFind(): Storage {
    const { accounts, ...others } = storage.get();
    async function findByEmail(email: string): Promise<Account | undefined> {
      const found = await accounts.findByEmail(email);
      const run = afterFind;
      afterFind = undefined;
      await run?.(found);
      return found;
    }
    return { ...others, accounts: { ...accounts, findByEmail } };
  }

  const createAddress = () => `${randomUUID()}@example.net`;

  async function signIn(email: string, typed = password, browser = createBrowser(server.url)): Promise<Page> {
    return browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password: typed });
  }

  /** Changes the address in a signed-in browser, with access to the new mailbox. */
  async function changeEmail(browser: Browser, email = createAddress()): Promise<string> {
    const form = await browser.open('/account/email');
    await browser.submit(form, 'change-email', { email, current_password: password });
    const page = await browser.open(await mailbox.linkTo(email, '/confirm-email'));
    const changed = await browser.submit(page, 'verify-email');
    expect(changed.status).toBe(200);
    return email;
  }

  /** Signs in a thief who has the password, and changes the address. */
  async function steal({ email }: Pick<Account, 'email'>) {
    const thief = createBrowser(server.url);
    expect((await signIn(email, password, thief)).url.pathname).toBe('/account');
    const signInLink = await mailbox.linkTo(email, '/not-me');
    const thiefsEmail = await changeEmail(thief);
    return { thief, thiefsEmail, signInLink };
  }

  /** Returns the link in the mail about a change of the address. */
  async function undoLinkIn(email: string): Promise<string> {
    let link: string | undefined;
    await expect
      .poll(async () => {
        const bodies = (await mailbox.mailsTo(email, 0)).map(({ body }) => body);
        link = bodies.flatMap((body) => body.match(/https?:\/\/[^\s"<]+\/not-me\?token=[\w-]+/) ?? []).at(-1);
        return link;
      }, WAIT)
      .toBeDefined();
    return link ?? '';
  }

  async function follow(link: string, browser = createBrowser(server.url)): Promise<Page> {
    const page = await browser.open(link);
    return page.status === 200 ? browser.submit(page, 'disown-sign-in') : page;
  }

  const find = (id: string) => server.accounts.get(id);

  async function listEvents(accountId: string, type: AccountEventType) {
    return storage.get().audit.list({ accountId, types: [type], limit: 5 });
  }

  describe('a change of the address that the owner takes back (OWASP ASVS 5.0 §6.3.7, §7.4.3)', () => {
    it('restores the address, ends all access and lets the owner choose a password', async () => {
      const journey = await startJourney(server);
      const { email, accountId, browser, application } = journey;
      const tokens = await obtainTokens(journey);
      await mailbox.linkTo(email, '/not-me');
      const { thief, thiefsEmail } = await steal({ email });
      const owner = createBrowser(server.url);
      const link = await undoLinkIn(email);
      const page = await owner.open(link);
      expect(page.html).toContain(email);
      expect(page.html).not.toContain(thiefsEmail);
      expect((await find(accountId)).email).toBe(thiefsEmail);
      expect((await owner.submit(page, 'disown-sign-in')).url.pathname).toBe('/check-mail');

      expect(await find(accountId)).toMatchObject({ email, emailVerified: true, passwordHash: null });
      for (const each of [thief, browser])
        expect((await each.open('/account')).url.pathname).toBe('/sign-in');
      const refresh = oauth.refreshTokenGrant(application, tokens.refresh_token ?? '');
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
      for (const each of [email, thiefsEmail]) expect((await signIn(each)).status).toBe(400);
      expect(await listEvents(accountId, 'account.email_restored')).toMatchObject([
        { details: { from: thiefsEmail, to: email } },
      ]);
      expect(await listEvents(accountId, 'account.sign_in_disowned')).toHaveLength(1);

      const reset = await owner.open(await mailbox.linkTo(email, '/reset-password'));
      await owner.submit(reset, 'reset-password', { password: newPassword });
      expect((await signIn(email, newPassword)).url.pathname).toBe('/account');
      await expect
        .poll(async () => (await mailbox.mailsTo(thiefsEmail)).map(({ body }) => body).join(), WAIT)
        .toContain('no longer opens the account');
    });

    it('gives applications the old address again at the next sign-in', async () => {
      const journey = await startJourney(server);
      const { email } = journey;
      await steal({ email });
      const owner = createBrowser(server.url);
      await follow(await undoLinkIn(email), owner);
      const reset = await owner.open(await mailbox.linkTo(email, '/reset-password'));
      await owner.submit(reset, 'reset-password', { password: newPassword });
      await signIn(email, newPassword, journey.browser);
      const { access_token: token } = await obtainTokens(journey);
      expect(decodeJwt(token)).toMatchObject({ sub: journey.accountId, email, email_verified: true });
    });

    it('removes the passkeys that were added since the first sign-in of the thief', async () => {
      const account = await server.addAccount();
      const store = storage.get().factors;
      const earlier = createPasskey({ createdAt: new Date(Date.now() - 120_000) });
      await store.replace({ ...createFactors(account.id), passkeys: [earlier], version: 1 }, 0);
      const thief = createBrowser(server.url);
      server.time.ahead = -60_000;
      await signIn(account.email, password, thief);
      await mailbox.linkTo(account.email, '/not-me');
      server.time.ahead = 0;
      const added = createPasskey({ createdAt: new Date(Date.now() - 30_000) });
      const stored = (await store.find(account.id)) ?? createFactors(account.id);
      await store.replace(updateDocument(stored, { passkeys: [earlier, added] }), stored.version);
      // A sign-in in the same browser sends no mail; the earlier one counts.
      await thief.submit(await thief.open('/session/end'), 'log-out', { logout: 'yes' });
      await signIn(account.email, password, thief);
      await changeEmail(thief);
      await follow(await undoLinkIn(account.email));
      expect((await store.find(account.id))?.passkeys).toEqual([earlier]);
    });

    it('wins over every later change, and over the links in the mails about those', async () => {
      const { id, email } = await server.addAccount();
      const { thief, thiefsEmail } = await steal({ email });
      const last = await changeEmail(thief);
      const ofThief = await undoLinkIn(thiefsEmail);
      const ofOwner = await undoLinkIn(email);
      expect((await follow(ofThief)).url.pathname).toBe('/check-mail');
      expect((await find(id)).email).toBe(thiefsEmail);
      expect((await follow(ofOwner)).url.pathname).toBe('/check-mail');
      expect((await find(id)).email).toBe(email);
      for (const address of [thiefsEmail, last]) expect((await signIn(address)).status).toBe(400);
    });

    it('makes the links of later changes invalid', async () => {
      const { id, email } = await server.addAccount();
      const { thief, thiefsEmail } = await steal({ email });
      await changeEmail(thief);
      const ofThief = await undoLinkIn(thiefsEmail);
      await follow(await undoLinkIn(email));
      expect((await follow(ofThief)).status).toBe(400);
      expect((await find(id)).email).toBe(email);
    });

    it('is possible by the earlier mail about the sign-in, too', async () => {
      const { id, email } = await server.addAccount();
      const { signInLink } = await steal({ email });
      expect((await follow(signInLink)).url.pathname).toBe('/check-mail');
      expect((await find(id)).email).toBe(email);
    });

    it('cancels the deletion that the thief has requested', async () => {
      const { id, email } = await server.addAccount();
      const { thief } = await steal({ email });
      await thief.submit(await thief.open('/account/delete'), 'delete-account');
      expect((await find(id)).status).toBe('pending_deletion');
      await follow(await undoLinkIn(email));
      expect(await find(id)).toMatchObject({ email, status: 'active', deletionDueAt: null });
    });

    it('is possible once, within seven days', async () => {
      const { id, email } = await server.addAccount();
      await steal({ email });
      const link = await undoLinkIn(email);
      const page = await createBrowser(server.url).open(link);
      server.time.ahead = 7 * ONE_DAY_MS;
      expect((await follow(link)).status).toBe(400);
      server.time.ahead = 0;
      expect(page.status).toBe(200);
      const owner = createBrowser(server.url);
      const shown = await owner.open(link);
      const answers = await Promise.all([1, 2, 3].map(() => owner.submit(shown, 'disown-sign-in')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      expect((await find(id)).email).toBe(email);
    });

    it('takes the address from an account that never verified it', async () => {
      const { id, email } = await server.addAccount();
      await steal({ email });
      await server.accounts.signUp({ email, name: 'Eve', password: newPassword }, { address: '192.0.2.1' });
      await mailbox.linkTo(email, '/verify-email');
      const squatter = await server.accounts.findByEmail(email);
      expect((await follow(await undoLinkIn(email))).url.pathname).toBe('/check-mail');
      expect((await find(id)).email).toBe(email);
      const accountId = squatter?.id ?? '';
      const displaced = `${accountId}@displaced.invalid`;
      expect(await find(accountId)).toMatchObject({ email: displaced, emailVerified: false });
      expect(await listEvents(accountId, 'account.email_changed')).toMatchObject([
        { details: { from: email, to: displaced } },
      ]);
    });

    it('records no other address of an account that verifies its own in the meantime', async () => {
      const { id, email } = await server.addAccount();
      const { thiefsEmail } = await steal({ email });
      await server.accounts.signUp({ email, name: 'Eve', password: newPassword }, { address: '192.0.2.1' });
      await mailbox.linkTo(email, '/verify-email');
      const owner = createBrowser(server.url);
      const page = await owner.open(await undoLinkIn(email));
      let holderId = '';
      afterFind = async (holder) => {
        if (!holder) throw new Error('No account has the address.');
        holderId = holder.id;
        const verified = updateAccount(holder, { emailVerified: true }, new Date());
        await storage.get().accounts.replace(verified, holder.version);
      };
      const refused = await owner.submit(page, 'disown-sign-in');
      expect(refused.status).toBe(409);
      expect(await find(holderId)).toMatchObject({ email, emailVerified: true });
      expect(await listEvents(holderId, 'account.email_changed')).toEqual([]);
      expect((await find(id)).email).toBe(thiefsEmail);
    });

    it('is refused while another account has verified the address, and possible after it has another', async () => {
      const { id, email } = await server.addAccount();
      const { thiefsEmail } = await steal({ email });
      const link = await undoLinkIn(email);
      await server.addAccount({ email });
      const refused = await follow(link);
      expect(refused.status).toBe(409);
      expect(refused.html).toContain('Another account has this address');
      expect((await find(id)).email).toBe(thiefsEmail);
      const other = createBrowser(server.url);
      await signIn(email, password, other);
      await changeEmail(other);
      expect((await follow(link)).url.pathname).toBe('/check-mail');
      expect((await find(id)).email).toBe(email);
    });

    it('is not offered to an address that was never verified', async () => {
      const email = createAddress();
      await server.accounts.signUp({ email, name: 'Ann', password }, { address: '192.0.2.1' });
      await mailbox.mailsTo(email);
      const browser = createBrowser(server.url);
      await signIn(email, password, browser);
      await changeEmail(browser);
      const mails = await mailbox.mailsTo(email, 3);
      expect(mails.map(({ body }) => body).join()).not.toContain('/not-me');
    });
  });
});
