import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { assembleClients } from './assemble-clients.ts';
import type { Client } from './client.ts';
import { MAX_CO_OWNERS } from './co-ownership.ts';

const derived = { clientSecrets: createSecretKey(randomBytes(32)) };
const ONE_DAY_MS = 86_400_000;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const time = { now: Date.now() };
  const clock = () => time.now;
  const clients = () => assembleClients({ storage: storage.get(), derived, clock });
  /** The use cases on a connection of their own, as another process has them. */
  const others = async () => assembleClients({ storage: await storage.openAnother(), derived, clock });

  async function register(owner = uuidv7()): Promise<Client & { owner: string }> {
    const request = {
      type: 'spa' as const,
      name: 'Board',
      scopes: [],
      redirectUris: ['https://app.example/'],
    };
    const { client } = await clients().register(request, { id: owner, limit: 99 });
    return { ...client, owner };
  }
  const reader = (id = uuidv7()) => ({ id, email: `${id}@example.org`, emailVerified: true });
  const draft = (email: string, invitedBy: string) => ({
    id: uuidv7(),
    email,
    digest: randomUUID(),
    invitedBy,
    expiresAt: new Date(time.now + ONE_DAY_MS),
  });
  async function invite({ id, owner }: { id: string; owner: string }, invited = reader()) {
    const invitation = draft(invited.email, owner);
    await clients().invite(id, invitation);
    const answer = { digest: invitation.digest, answer: 'accepted' } as const;
    return { id, invited, invitation, answer };
  }
  async function addCoOwners(id: string, count: number): Promise<string[]> {
    const accounts = Array.from({ length: count }, () => uuidv7());
    for (const account of accounts) await clients().addCoOwner(id, account);
    return accounts;
  }
  const conflict = (code: string) => ({ code: 'conflict', errors: [{ code }] });

  describe('an invitation to an application', () => {
    it('makes the invited account a co-owner once, and keeps no address then', async () => {
      const { id, owner } = await register();
      const { invited, answer } = await invite({ id, owner });
      const joined = await clients().answerInvitation(id, answer, invited);
      expect(joined).toMatchObject({
        owner,
        coOwners: [{ accountId: invited.id, since: new Date(time.now) }],
        invitations: [{ status: 'accepted', email: null, closedInVersion: joined.version }],
      });
      const again = clients().answerInvitation(id, answer, invited);
      await expect(again).rejects.toMatchObject(conflict('accepted'));
      expect((await Array.fromAsync(clients().listCoOwned(invited.id))).map((each) => each.id)).toEqual([id]);
    });

    it('gives nothing to another account, nor to one that has not confirmed the address', async () => {
      const application = await register();
      const { id, invited, answer } = await invite(application);
      for (const other of [reader(), { ...reader(), email: invited.email, emailVerified: false }])
        for (const each of ['accepted', 'declined'] as const)
          await expect(
            clients().answerInvitation(id, { ...answer, answer: each }, other),
          ).rejects.toMatchObject(conflict('other_account'));
      expect(await clients().get(id)).toMatchObject({ coOwners: [], invitations: [{ status: 'pending' }] });
    });

    it('gives nothing once it was declined, was withdrawn, has expired or never was', async () => {
      const application = await register();
      const { id } = application;
      const declined = await invite(application);
      await clients().answerInvitation(id, { ...declined.answer, answer: 'declined' }, declined.invited);
      const withdrawn = await invite(application);
      await clients().withdrawInvitation(id, withdrawn.invitation.id);
      const expired = await invite(application);
      time.now += ONE_DAY_MS;
      for (const [code, { answer, invited }] of Object.entries({ declined, withdrawn, expired }))
        await expect(clients().answerInvitation(id, answer, invited)).rejects.toMatchObject(conflict(code));
      const unknown = { digest: randomUUID(), answer: 'accepted' } as const;
      await expect(clients().answerInvitation(id, unknown, reader())).rejects.toMatchObject(
        conflict('unknown'),
      );
      expect((await clients().get(id)).coOwners).toEqual([]);
      const gone = clients().withdrawInvitation(id, withdrawn.invitation.id);
      await expect(gone).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is one for each address while it is pending, and as many as there may be co-owners', async () => {
      const application = await register();
      const { id, owner } = application;
      const { invited } = await invite(application);
      const again = clients().invite(id, draft(invited.email, owner));
      await expect(again).rejects.toMatchObject(conflict('already_invited'));
      await addCoOwners(id, MAX_CO_OWNERS - 1);
      await expect(clients().invite(id, draft('b@example.org', owner))).rejects.toMatchObject(
        conflict('co_owners_full'),
      );
      time.now += ONE_DAY_MS;
      await clients().invite(id, draft(invited.email, owner));
    });

    it('ends with the access of the co-owner who sent it', async () => {
      const application = await register();
      const { id, owner } = application;
      const [coOwner = ''] = await addCoOwners(id, 1);
      const own = await invite({ id, owner: coOwner });
      const other = await invite({ id, owner });
      await clients().removeCoOwner(id, coOwner);
      const late = clients().answerInvitation(id, own.answer, own.invited);
      await expect(late).rejects.toMatchObject(conflict('withdrawn'));
      await clients().answerInvitation(id, other.answer, other.invited);
    });

    it('is accepted once by ten racers on two connections', async () => {
      const processes = [clients(), await others()];
      const { id, invited, answer } = await invite(await register());
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => processes[i % 2]?.answerInvitation(id, answer, invited)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await clients().get(id)).coOwners).toHaveLength(1);
    });

    it('is either accepted or withdrawn', async () => {
      const other = await others();
      for (let round = 0; round < 5; round += 1) {
        const { id, invited, invitation, answer } = await invite(await register());
        const [accepted, withdrawn] = await Promise.allSettled([
          clients().answerInvitation(id, answer, invited),
          other.withdrawInvitation(id, invitation.id),
        ]);
        expect(accepted.status).not.toBe(withdrawn.status);
        const { coOwners } = await clients().get(id);
        expect(coOwners).toHaveLength(accepted.status === 'fulfilled' ? 1 : 0);
      }
    });

    it('gives nothing of an application that is removed at the same moment', async () => {
      const other = await others();
      for (let round = 0; round < 5; round += 1) {
        const { id, invited, answer } = await invite(await register());
        const [, removed] = await Promise.allSettled([
          clients().answerInvitation(id, answer, invited),
          other.remove(id),
        ]);
        expect(removed.status).toBe('fulfilled');
        await expect(clients().get(id)).rejects.toMatchObject({ code: 'not_found' });
        expect(await Array.fromAsync(clients().listCoOwned(invited.id))).toEqual([]);
      }
    });
  });

  describe('handing an application over', () => {
    it('makes the former owner a co-owner, and ends the mark that vouched for them', async () => {
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

    it('withdraws what the former owner requested', async () => {
      const { id } = await register();
      const proposal = { kind: 'verification', role: null, reason: 'We print your tickets.' } as const;
      await clients().requestTrust(id, proposal);
      const { client } = await clients().changeOwner(id, uuidv7());
      expect(client.trustRequests.verification?.status).toBe('withdrawn');
    });

    it('is refused when the new owner would have more than they may, or is shut out', async () => {
      const { id, owner } = await register();
      const full = await register();
      await expect(clients().changeOwner(id, full.owner, 1)).rejects.toMatchObject(conflict('quota_reached'));
      const closed = uuidv7();
      await storage.get().clients.closeOwner(closed);
      for (const refused of [() => clients().changeOwner(id, closed), () => clients().addCoOwner(id, closed)])
        await expect(refused()).rejects.toMatchObject(conflict('account_closed'));
      expect(await clients().get(id)).toMatchObject({ owner, coOwners: [], version: 1 });
    });

    it('loses no change of ten at once', async () => {
      const processes = [clients(), await others()];
      const { id } = await register();
      const accounts = Array.from({ length: MAX_CO_OWNERS }, () => uuidv7());
      await Promise.all(accounts.map((account, i) => processes[i % 2]?.addCoOwner(id, account)));
      const { coOwners, version } = await clients().get(id);
      expect(coOwners.map(({ accountId }) => accountId).sort()).toEqual(accounts.sort());
      expect(version).toBe(1 + MAX_CO_OWNERS);
      await expect(clients().addCoOwner(id, uuidv7())).rejects.toMatchObject(conflict('co_owners_full'));
    });
  });

  describe('an owner who is shut out', () => {
    const isActive = async () => true;

    it('leaves the application to the active co-owner who joined first', async () => {
      const { id, owner } = await register();
      const [gone, first, second] = await addCoOwners(id, 3);
      const pending = await invite({ id, owner });
      await clients().setVerified(id, true);
      const retired = await clients().retire(id, owner, async (account) => account !== gone);
      expect(retired).toMatchObject({
        outcome: 'handed_over',
        client: {
          owner: first,
          coOwners: [{ accountId: gone }, { accountId: second }],
          isVerified: false,
          status: 'active',
        },
      });
      const late = clients().answerInvitation(id, pending.answer, pending.invited);
      await expect(late).rejects.toMatchObject(conflict('withdrawn'));
    });

    it('leaves it disabled when nobody else is active, and invites nobody any more', async () => {
      const { id, owner } = await register();
      await invite({ id, owner });
      const retired = await clients().retire(id, owner, async () => false);
      expect(retired).toMatchObject({
        outcome: 'disabled',
        client: { owner, status: 'disabled', invitations: [{ status: 'withdrawn' }] },
      });
      expect((await clients().retire(id, owner, isActive)).outcome).toBe('unchanged');
    });

    it('passes over a co-owner who is shut out at the same moment', async () => {
      const { id, owner } = await register();
      const [closed = '', next] = await addCoOwners(id, 2);
      await storage.get().clients.closeOwner(closed);
      expect((await clients().retire(id, owner, isActive)).client.owner).toBe(next);
    });

    it('is no co-owner any more, and changes nothing of what others own', async () => {
      const { id, owner } = await register();
      const [coOwner = ''] = await addCoOwners(id, 1);
      const retired = await clients().retire(id, coOwner, isActive);
      expect(retired).toMatchObject({ outcome: 'co_owner_removed', client: { owner, coOwners: [] } });
      expect((await clients().retire(id, coOwner, isActive)).outcome).toBe('unchanged');
    });
  });

  describe('access that is required', () => {
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
        clock,
        requireAccess(client) {
          if (!client.coOwners.some(({ accountId }) => accountId === coOwner)) throw new Error('no access');
        },
      });
      await expect(guarded.setStatus(id, 'disabled')).rejects.toThrow('no access');
      expect(await clients().get(id)).toMatchObject({ owner, status: 'active' });
    });
  });
});
