import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { forge, useCoOwners } from './co-owners.fixture.ts';
import { LIST, REDIRECT_URI, register, signIn } from './portal.fixture.ts';

onEveryEngine((engine) => {
  const world = useCoOwners(engine);

  describe('a co-owner', () => {
    it('can do everything with the application except the operations of its owner', async () => {
      const { server, owner, id, path, addAccount, join } = world();
      const account = await addAccount();
      const coOwner = await join(account);
      const list = await coOwner.open(LIST);
      expect(list.html).toContain(id);
      expect(list.html).toContain('Co-owner');
      expect(list.html).toContain('0 of 2 registered');
      const edit = { name: 'Printshop', redirect_uris: REDIRECT_URI, scopes: 'openid' };
      const saved = await coOwner.submit(await coOwner.open(`${path}/edit`), 'application', edit);
      expect(saved.url.pathname).toBe(path);
      expect((await server.clients.get(id)).name).toBe('Printshop');
      expect((await coOwner.submit(saved, 'add-secret')).html).toContain('id="client_secret"');
      expect(saved.html).not.toContain('id="remove"');
      const owned = [
        'remove',
        `co-owners/${account.id}/hand-over`,
        `co-owners/${account.id}/remove`,
        `co-owners/${owner.id}/remove`,
      ];
      for (const form of owned) {
        expect((await coOwner.open(`${path}/${form}`)).status).toBe(403);
        expect((await forge(coOwner, `${path}/${form}`)).status).toBe(403);
      }
      expect(await server.clients.get(id)).toMatchObject({
        owner: owner.id,
        coOwners: [{ accountId: account.id }],
      });
    });

    it('is removed by the owner, loses access at once, and gets a mail', async () => {
      const { mailbox, owner, browser, id, path, addAccount, join, recordsOf } = world();
      const account = await addAccount();
      const coOwner = await join(account);
      const openForm = await coOwner.open(`${path}/edit`);
      const asked = await browser.open(`${path}/co-owners/${account.id}/remove`);
      expect(asked.html).toContain('Remove <strong><bdi>Ada Lovelace</bdi>');
      const removed = await browser.submit(asked, 'change-owners');
      expect(removed.html).toContain('The co-owner has been removed');
      expect((await coOwner.open(path)).status).toBe(404);
      const edit = { name: 'Mine', redirect_uris: REDIRECT_URI, scopes: 'openid' };
      expect((await coOwner.submit(openForm, 'application', edit)).status).toBe(404);
      expect((await coOwner.open(LIST)).html).not.toContain(id);
      expect((await mailbox.mailsTo(account.email, 2))[1]?.body).toContain('no longer a co-owner');
      const [record] = await recordsOf('client.co_owner_removed');
      expect(record).toMatchObject({ actor: owner.id, accountId: account.id });
      expect((await browser.submit(asked, 'change-owners')).status).toBe(404);
    });

    it('can leave, which the owner cannot', async () => {
      const { server, owner, browser, id, path, addAccount, join, recordsOf } = world();
      const account = await addAccount();
      const coOwner = await join(account);
      const left = await coOwner.submit(await coOwner.open(`${path}/leave`), 'change-owners');
      expect(left.url.pathname).toBe(LIST);
      expect(left.html).toContain('no longer a co-owner');
      expect(await recordsOf('client.co_owner_left')).toMatchObject([
        { actor: account.id, accountId: account.id },
      ]);
      expect((await forge(browser, `${path}/leave`)).status).toBe(403);
      expect((await server.clients.get(id)).owner).toBe(owner.id);
    });

    it('can become the owner, and the former owner becomes a co-owner', async () => {
      const { server, mailbox, owner, browser, id, path, addAccount, join, recordsOf } = world();
      const account = await addAccount();
      const coOwner = await join(account);
      await server.clients.setVerified(id, true);
      const asked = await browser.open(`${path}/co-owners/${account.id}/hand-over`);
      expect(asked.html).toContain('verified with your name');
      const given = await browser.submit(asked, 'change-owners');
      expect(given.html).toContain('The application has a new owner');
      expect(await server.clients.get(id)).toMatchObject({
        owner: account.id,
        coOwners: [{ accountId: owner.id }],
        isVerified: false,
      });
      expect((await mailbox.mailsTo(account.email, 2))[1]?.body).toContain(
        `${account.email} is now the owner`,
      );
      expect(await recordsOf('client.owner_changed')).toMatchObject([
        { actor: owner.id, accountId: account.id, details: { from: owner.id, to: account.id } },
      ]);
      expect((await browser.open(`${path}/remove`)).status).toBe(403);
      const removed = await coOwner.submit(await coOwner.open(`${path}/remove`), 'remove-application');
      expect(removed.url.pathname).toBe(LIST);
    });

    it('does not become the owner of more applications than they may register', async () => {
      const { server, owner, browser, id, path, addAccount, join } = world();
      const account = await addAccount();
      const coOwner = await join(account);
      for (let i = 0; i < 2; i += 1) await register(coOwner);
      const asked = await browser.open(`${path}/co-owners/${account.id}/hand-over`);
      const rejected = await browser.submit(asked, 'change-owners');
      expect(rejected).toMatchObject({
        status: 409,
        html: expect.stringContaining('own as many applications as they may'),
      });
      expect((await server.clients.get(id)).owner).toBe(owner.id);
    });

    it('can request verification', async () => {
      const { server, id, path, addAccount, join } = world();
      const account = await addAccount();
      const coOwner = await join(account);
      const reason = { verification_reason: 'We print your tickets.' };
      await coOwner.submit(await coOwner.open(path), 'request-verification', reason);
      expect((await server.clients.get(id)).trustRequests.verification?.status).toBe('pending');
    });
  });

  describe('the owners of an application', () => {
    it.each([
      'invitations',
      'leave',
      'co-owners/x/hand-over',
      'co-owners/x/remove',
      'invitations/x/withdraw',
    ])('are not changed by another user at %s, nor by a form of another site (CSRF)', async (form) => {
      const { server, browser, id, path, addAccount } = world();
      const before = await server.clients.get(id);
      const stranger = await signIn(server, await addAccount('Mallory'));
      const fields = { invited_email: 'mallory@example.org' };
      expect((await forge(stranger, `${path}/${form}`, fields)).status).toBe(404);
      expect((await forge(browser, `${path}/${form}`, { ...fields, csrf: 'x' })).status).toBe(403);
      expect(await server.clients.get(id)).toEqual(before);
    });
  });
});
