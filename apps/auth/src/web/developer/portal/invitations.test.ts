import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { password } from '../../../tests/test-server.fixture.ts';
import { answer, forge, useCoOwners, withdrawFirst } from '../co-owners.fixture.ts';
import { signIn, web } from '../portal.fixture.ts';
import { invitationPath } from './paths.ts';

const ONE_DAY_MS = 86_400_000;

onEveryEngine((engine) => {
  const world = useCoOwners(engine);

  describe('an invitation to co-own an application', () => {
    it('writes neither token nor address to the log, and no token to the database', async () => {
      const { server, storage, addAccount, linkTo, join } = world();
      const invited = await addAccount();
      await join(invited);
      const token = new URL(await linkTo(invited.email)).searchParams.get('token') ?? '';
      const [, secret = ''] = token.split('.');
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(server.logged()).not.toContain(secret);
      expect(server.logged()).not.toContain(invited.email);
      expect((await storage.database().dump()).includes(secret)).toBe(false);
    });

    it('makes the invited account a co-owner, mails the owner, and is audited', async () => {
      const { server, mailbox, owner, id, path, addAccount, invite, linkTo, recordsOf } = world();
      const invited = await addAccount();
      const sent = await invite(invited.email);
      expect(sent.url.pathname).toBe(path);
      expect(sent.html).toContain(`to <strong><bdi>${invited.email}</bdi>`);
      const [mail] = await mailbox.mailsTo(invited.email);
      expect(mail?.body).toContain(`${owner.email} invites you`);
      expect(mail?.body).toContain('for 7 days');
      for (const typed of ['Grace', web.name]) expect(mail?.body).not.toContain(typed);

      const other = createBrowser(server.url);
      const asked = await other.open(await linkTo(invited.email));
      expect(asked.html).toContain('Sign in to accept the invitation');
      const page = await other.submit(asked, 'sign-in', { email: invited.email, password });
      expect(page.html).toContain('id="answer-invitation"');
      expect(page.html).toContain(owner.email);
      expect(page.html).toContain(web.name);
      const joined = await answer(other, page, 'accept');
      expect(joined.url.pathname).toBe(path);
      expect(joined.html).toContain('You are now a co-owner');
      expect(await server.clients.get(id)).toMatchObject({
        owner: owner.id,
        coOwners: [{ accountId: invited.id }],
      });
      const [notification] = await mailbox.mailsTo(owner.email);
      expect(notification?.body).toContain(`${invited.email} is now a co-owner`);
      const records = await recordsOf('client.invitation_sent', 'client.invitation_accepted');
      expect(records.map(({ type, actor }) => [type, actor])).toEqual([
        ['client.invitation_accepted', invited.id],
        ['client.invitation_sent', owner.id],
      ]);
      expect(JSON.stringify(records)).not.toContain(invited.email);
    });

    it('can be accepted with an account that is created for it', async () => {
      const { server, mailbox, id, path, invite, linkTo } = world();
      const email = `new-${id}@example.org`;
      const known = await invite(email);
      expect(known.html).toContain(`to <strong><bdi>${email}</bdi>`);
      const other = createBrowser(server.url);
      const link = await linkTo(email);
      const signUp = new URL(link);
      signUp.search = String(new URLSearchParams({ return_to: signUp.pathname + signUp.search }));
      signUp.pathname = '/sign-up';
      const applied = await other.submit(await other.open(signUp), 'sign-up', {
        name: 'Katherine Johnson',
        email,
        password,
      });
      expect(applied.url.pathname).toBe('/check-mail');
      const verify = await other.open(await mailbox.linkTo(email, '/verify-email'));
      const signedIn = await other.submit(verify, 'sign-in', { email, password });
      const verified = await other.submit(signedIn, 'verify-email');
      const goOn = /id="continue"|href="([^"]*)"[^>]*id="continue"/.exec(verified.html)?.[1];
      expect(goOn?.replaceAll('&amp;', '&')).toBe(link.slice(server.url.length));
      const joined = await answer(other, await other.open(link), 'accept');
      expect(joined.url.pathname).toBe(path);
    });

    it('makes an account with an unverified address verify it first, then returns to the invitation', async () => {
      const { server, mailbox, id, invite, linkTo } = world();
      const email = `late-${id}@example.org`;
      const other = createBrowser(server.url);
      await other.submit(await other.open('/sign-up'), 'sign-up', { name: 'Late', email, password });
      const confirm = await mailbox.linkTo(email, '/verify-email');
      await invite(email);
      const link = await linkTo(email);
      const asked = await other.submit(await other.open(link), 'sign-in', { email, password });
      expect(asked.url.pathname).toBe('/account/verification');
      const verified = await other.submit(await other.open(confirm), 'verify-email');
      expect(verified.html.replaceAll('&amp;', '&')).toContain(link.slice(server.url.length));
    });

    it('reveals nothing to another account that has the link', async () => {
      const { server, owner, id, addAccount, invite, linkTo } = world();
      const [invited, thief] = [await addAccount(), await addAccount('Mallory')];
      await invite(invited.email);
      const link = await linkTo(invited.email);
      const other = await signIn(server, thief);
      const page = await other.open(link);
      expect(page).toMatchObject({
        status: 403,
        html: expect.stringContaining('invitation-other-account'),
      });
      const shown = page.html.replaceAll(/href="[^"]*"/g, '');
      for (const secret of [web.name, owner.email, invited.email, id]) expect(shown).not.toContain(secret);
      const token = new URL(link).searchParams.get('token') ?? '';
      for (const decision of ['accept', 'decline'])
        expect((await forge(other, invitationPath, { token, decision })).status).toBe(403);
      expect(await server.clients.get(id)).toMatchObject({
        coOwners: [],
        invitations: [{ status: 'pending' }],
      });
    });

    it.each(['accept', 'decline'] as const)(
      'rejects the decision %s from a form of another site (CSRF)',
      async (decision) => {
        const { server, id, addAccount, invite, linkTo } = world();
        const invited = await addAccount();
        await invite(invited.email);
        const other = await signIn(server, invited);
        const page = await other.open(await linkTo(invited.email));
        const html = page.html.replace(/name="csrf" value="[^"]*"/, 'name="csrf" value="x"');
        expect((await answer(other, { ...page, html }, decision)).status).toBe(403);
        expect((await server.clients.get(id)).invitations).toMatchObject([{ status: 'pending' }]);
      },
    );

    it('shows its outcome: accepted, declined, withdrawn, expired or unknown', async () => {
      const { server, browser, id, path, addAccount, invite, linkTo } = world();
      const ended = async (name: string, end: (by: Browser, page: Page) => Promise<unknown>) => {
        const invited = await addAccount(name);
        await invite(invited.email);
        const by = await signIn(server, invited);
        const link = await linkTo(invited.email);
        const page = await by.open(link);
        await end(by, page);
        return { shown: await by.open(link), again: await answer(by, page, 'accept') };
      };
      const pages = {
        accepted: await ended('One', (by, page) => answer(by, page, 'accept')),
        declined: await ended('Two', (by, page) => answer(by, page, 'decline')),
        withdrawn: await ended('Three', async () => {
          const withdrawn = await withdrawFirst(browser, await browser.open(path));
          expect(withdrawn.html).toContain('The invitation has been withdrawn');
        }),
        expired: await ended('Four', async () => {
          server.time.ahead += 7 * ONE_DAY_MS;
        }),
      };
      for (const [state, { shown, again }] of Object.entries(pages))
        for (const page of [shown, again])
          expect(page).toMatchObject({
            status: 410,
            html: expect.stringContaining(`id="invitation-${state}"`),
          });
      expect((await browser.open(path)).html).toContain('the link expired on');
      for (const token of ['', 'x', `${id}.x`, `${id}.`, '%00.x', '.', 'x'.repeat(5_000)])
        expect(await browser.open(`${invitationPath}?token=${token}`)).toMatchObject({
          status: 410,
          html: expect.stringContaining('id="invitation-unknown"'),
        });
      await server.clients.remove(id);
      server.time.ahead = 0;
    });

    it.each([
      ['no address', '', 400, 'Enter the e-mail address of the person'],
      ['an invalid address', 'ada', 400, 'Enter an e-mail address such as'],
    ])('is rejected with %s, and the form keeps the input', async (_, typed, status, text) => {
      const { invite } = world();
      const rejected = await invite(typed);
      expect(rejected).toMatchObject({ status, html: expect.stringContaining(text) });
      expect(rejected.html).toMatch(new RegExp(`name="invited_email"[^>]*value="${typed}"`));
      expect(rejected.html).toContain('href="#invited_email"');
    });

    it('is rejected if the address is invited or belongs to an owner, or if the application has the maximum of co-owners', async () => {
      const { owner, browser, path, addAccount, invite, join } = world();
      expect((await invite(owner.email.toUpperCase())).html).toContain('belongs to an owner');
      const coOwner = await addAccount();
      await join(coOwner);
      expect(await invite(coOwner.email)).toMatchObject({
        status: 409,
        html: expect.stringContaining('belongs to an owner'),
      });
      await invite('first@example.org');
      expect(await invite(' First@example.org')).toMatchObject({
        status: 409,
        html: expect.stringContaining('invited already'),
      });
      const late = await browser.open(path);
      for (let i = 0; i < 8; i += 1) await invite(`person-${i}@example.org`);
      expect((await browser.open(path)).html).toContain('id="owners-full"');
      const full = await browser.submit(late, 'invite', { invited_email: 'more@example.org' });
      expect(full).toMatchObject({ status: 409, html: expect.stringContaining('as many as there can be') });
    });

    it('is limited to twenty per day and account; a rejected one does not count', async () => {
      const { browser, invite } = world();
      for (let sent = 0; sent < 20; sent += 1) {
        await invite('');
        await withdrawFirst(browser, await invite(`person-${sent}@example.org`));
      }
      expect(await invite('one-more@example.org')).toMatchObject({
        status: 429,
        html: expect.stringContaining('id="problems"'),
      });
    });
  });
});
