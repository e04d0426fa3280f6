import { createLogger } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDirectAudit } from '../audit/audit.ts';
import { png } from '../clients/logo/image.fixture.ts';
import { createAccountServices } from '../composition/accounts.ts';
import { loadAuthConfig } from '../config.ts';
import { deriveKeys } from '../keys/derived-keys.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { masterSecret, startTestServer } from '../tests/test-server.fixture.ts';
import { startMailbox } from '../web/account/mailbox.fixture.ts';

const config = loadAuthConfig({ MASTER_SECRET: masterSecret });
const log = createLogger({ name: 'test', level: 'silent', isPretty: false });
const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);

  const request = { type: 'spa' as const, name: 'App', scopes: [], redirectUris: ['https://app.example/'] };

  /** Starts a server, and accounts as the CLI uses them on the same storage. */
  async function start() {
    const server = await startTestServer(storage.get());
    const deps = {
      config: { ...config, ...mailbox.config },
      log,
      storage: storage.get(),
      now: () => new Date(),
    };
    const accountServices = createAccountServices({
      ...deps,
      derived: deriveKeys(masterSecret),
      audit: createDirectAudit(storage.get().audit),
    });
    onTestFinished(async () => {
      await accountServices.stop();
      await server.stop();
    });
    return { server, accounts: accountServices.accounts };
  }

  describe('the applications that an account owns', () => {
    it.each(['disable', 'remove'] as const)(
      'are disabled, with an audit record, by `%s` of the owner',
      async (verb) => {
        const { server, accounts } = await start();
        const { audit, clients } = storage.get();
        const { id: owner } = await server.addAccount();
        const own = await server.clients.register(request, { id: owner, limit: 5 });
        const other = await server.clients.register(request, { id: 'another account', limit: 5 });
        await accounts[verb](owner, operator);
        expect(await clients.find(own.client.id)).toMatchObject({ status: 'disabled' });
        expect(await clients.find(other.client.id)).toMatchObject({ status: 'active' });
        const [record] = await audit.list({ types: ['client.disabled'], accountId: owner, limit: 5 });
        expect(record).toMatchObject({ actor: 'operator', clientId: own.client.id, address: 'cli' });
        const another = () => server.clients.register(request, { id: owner, limit: 5 });
        await expect(another()).rejects.toMatchObject({ code: 'conflict' });
        if (verb === 'disable') await accounts.enable(owner, operator);
        if (verb === 'disable') expect((await another()).client).toMatchObject({ status: 'active' });
      },
    );

    it('lose their logos when the account is removed and keep them while it is disabled', async () => {
      const { server, accounts } = await start();
      const { audit, clients } = storage.get();
      const { id: owner } = await server.addAccount();
      const { id } = (await server.clients.register(request, { id: owner, limit: 5 })).client;
      await server.clients.setLogo(id, png());
      await accounts.disable(owner, operator);
      expect(await clients.findLogo(id)).toBeDefined();
      await accounts.remove(owner, operator);
      expect(await clients.find(id)).toMatchObject({ logoDigest: null });
      expect(await clients.findLogo(id)).toBeUndefined();
      const [record] = await audit.list({ types: ['client.logo_removed'], clientId: id, limit: 5 });
      expect(record).toMatchObject({ actor: 'operator', accountId: owner, address: 'cli' });
    });

    it.each(['disable', 'remove'] as const)(
      'pass to the earliest active co-owner, with an audit record, by `%s` of the owner',
      async (verb) => {
        const { server, accounts } = await start();
        const { audit, clients } = storage.get();
        const [owner, disabled, heir] = [
          await server.addAccount(),
          await server.addAccount(),
          await server.addAccount(),
        ];
        const { client } = await server.clients.register(request, { id: owner.id, limit: 5 });
        await server.clients.addCoOwner(client.id, disabled.id);
        await server.clients.addCoOwner(client.id, heir.id);
        await accounts.disable(disabled.id, operator);
        await accounts[verb](owner.id, operator);
        expect(await clients.find(client.id)).toMatchObject({
          owner: heir.id,
          coOwners: [],
          status: 'active',
        });
        const types = ['client.co_owner_removed', 'client.owner_changed'] as const;
        const [changed, removed] = await audit.list({ types, clientId: client.id, limit: 5 });
        const details = { from: owner.id, to: heir.id };
        expect(changed).toMatchObject({ actor: 'operator', accountId: heir.id, details });
        expect(removed).toMatchObject({ actor: 'operator', accountId: disabled.id });
        const [mail] = await mailbox.mailsTo(heir.email);
        expect(mail?.body).toContain(`${heir.email} is now the owner of the application App`);
        await accounts.remove(heir.id, operator);
        expect(await clients.find(client.id)).toMatchObject({ owner: heir.id, status: 'disabled' });
      },
    );

    it('keep an active owner when a co-owner is disabled during a transfer to them', async () => {
      const { server, accounts } = await start();
      for (let round = 0; round < 5; round += 1) {
        const [owner, coOwner] = [await server.addAccount(), await server.addAccount()];
        const { client } = await server.clients.register(request, { id: owner.id, limit: 5 });
        await server.clients.addCoOwner(client.id, coOwner.id);
        await Promise.allSettled([
          server.clients.changeOwner(client.id, coOwner.id),
          accounts.disable(coOwner.id, operator),
        ]);
        expect(await server.clients.get(client.id)).toMatchObject({
          owner: owner.id,
          coOwners: [],
          status: 'active',
        });
      }
    });
  });
});
