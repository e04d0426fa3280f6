import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { assembleClients } from '../../composition/clients.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { conflict, derived, useSharedClients } from './co-owners.fixture.ts';
import { MAX_CO_OWNERS } from './co-ownership.ts';

onEveryEngine((engine) => {
  const { storage, now, clients, otherProcess, register, invite, addCoOwners } = useSharedClients(engine);

  describe('handing over an application', () => {
    it('makes the former owner a co-owner, and ends the verification', async () => {
      const { id, owner } = await register();
      const [first = '', second = ''] = await addCoOwners(id, 2);
      await clients().setVerified(id, true);
      expect(await clients().changeOwner(id, second)).toMatchObject({
        client: {
          owner: second,
          isVerified: false,
          coOwners: [{ accountId: first }, { accountId: owner }],
        },
        former: { owner, isVerified: true },
      });
      await expect(clients().changeOwner(id, second)).rejects.toMatchObject(conflict('already_owner'));
    });

    it('withdraws the pending requests of the former owner', async () => {
      const { id } = await register();
      const proposal = { kind: 'verification', role: null, reason: 'We print your tickets.' } as const;
      await clients().requestTrust(id, proposal);
      const { client } = await clients().changeOwner(id, uuidv7());
      expect(client.trustRequests.verification?.status).toBe('withdrawn');
    });

    it('is rejected if the new owner has reached the limit or is disabled', async () => {
      const { id, owner } = await register();
      const full = await register();
      await expect(clients().changeOwner(id, full.owner, { limit: 1 })).rejects.toMatchObject(
        conflict('quota_reached'),
      );
      const closed = uuidv7();
      await storage.get().clients.closeOwner(closed);
      for (const rejected of [
        () => clients().changeOwner(id, closed),
        () => clients().addCoOwner(id, closed),
      ])
        await expect(rejected()).rejects.toMatchObject(conflict('account_closed'));
      expect(await clients().get(id)).toMatchObject({ owner, coOwners: [], version: 1 });
    });

    it('loses none of ten concurrent changes', async () => {
      const processes = [clients(), await otherProcess()];
      const { id } = await register();
      const accounts = Array.from({ length: MAX_CO_OWNERS }, () => uuidv7());
      await Promise.all(accounts.map((account, i) => processes[i % 2]?.addCoOwner(id, account)));
      const { coOwners, version } = await clients().get(id);
      expect(coOwners.map(({ accountId }) => accountId).sort()).toEqual(accounts.sort());
      expect(version).toBe(1 + MAX_CO_OWNERS);
      await expect(clients().addCoOwner(id, uuidv7())).rejects.toMatchObject(conflict('co_owners_full'));
    });
  });

  describe('an owner whose account is disabled', () => {
    const isActive = async () => true;

    it('leaves the application to the active co-owner who joined first', async () => {
      const { id, owner } = await register();
      const [inactive, first, second] = await addCoOwners(id, 3);
      const pending = await invite({ id, owner });
      await clients().setVerified(id, true);
      const retired = await clients().retire(id, owner, async (account) => account !== inactive);
      expect(retired).toMatchObject({
        outcome: 'handed_over',
        client: {
          owner: first,
          coOwners: [{ accountId: inactive }, { accountId: second }],
          isVerified: false,
          status: 'active',
        },
      });
      const late = clients().answerInvitation(id, pending.answer, pending.invited);
      await expect(late).rejects.toMatchObject(conflict('withdrawn'));
    });

    it('leaves it disabled if no co-owner is active, with its invitations withdrawn', async () => {
      const { id, owner } = await register();
      await invite({ id, owner });
      const retired = await clients().retire(id, owner, async () => false);
      expect(retired).toMatchObject({
        outcome: 'disabled',
        client: { owner, status: 'disabled', invitations: [{ status: 'withdrawn' }] },
      });
      expect((await clients().retire(id, owner, isActive)).outcome).toBe('unchanged');
    });

    it('skips a co-owner whose account is disabled at the same time', async () => {
      const { id, owner } = await register();
      const [closed = '', next] = await addCoOwners(id, 2);
      await storage.get().clients.closeOwner(closed);
      expect((await clients().retire(id, owner, isActive)).client.owner).toBe(next);
    });

    it('is removed as co-owner, and the owner of the application stays', async () => {
      const { id, owner } = await register();
      const [coOwner = ''] = await addCoOwners(id, 1);
      const retired = await clients().retire(id, coOwner, isActive);
      expect(retired).toMatchObject({ outcome: 'co_owner_removed', client: { owner, coOwners: [] } });
      expect((await clients().retire(id, coOwner, isActive)).outcome).toBe('unchanged');
    });
  });

  describe('the required access', () => {
    it('is checked with the version that a change replaces', async () => {
      const { id, owner } = await register();
      const [coOwner = ''] = await addCoOwners(id, 1);
      let removals = 0;
      const store = storage.get().clients;
      const racing = {
        ...store,
        async replace(...change: Parameters<typeof store.replace>) {
          if (removals++ === 0) await clients().removeCoOwner(id, coOwner);
          return store.replace(...change);
        },
      };
      const guarded = assembleClients({
        storage: { ...storage.get(), clients: racing },
        derived,
        now,
        requireAccess(client) {
          if (!client.coOwners.some(({ accountId }) => accountId === coOwner)) throw new Error('no access');
        },
      });
      await expect(guarded.setStatus(id, 'disabled')).rejects.toThrow('no access');
      expect(await clients().get(id)).toMatchObject({ owner, status: 'active' });
    });
  });
});
