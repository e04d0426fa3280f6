import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { expireInvitations } from './account-consequences.ts';
import { conflict, ONE_DAY_MS, useSharedClients } from './co-owners.fixture.ts';
import { INVITATION_RETENTION_DAYS, MAX_CO_OWNERS } from './co-ownership.ts';

onEveryEngine((engine) => {
  const { storage, time, clients, otherProcess, register, invitee, draft, invite, addCoOwners } =
    useSharedClients(engine);

  describe('an invitation to an application', () => {
    it('makes the invited account a co-owner once, and deletes the invited address', async () => {
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

    it('is rejected for another account and for an account without a verified address', async () => {
      const application = await register();
      const { id, invited, answer } = await invite(application);
      for (const other of [invitee(), { ...invitee(), email: invited.email, emailVerified: false }])
        for (const each of ['accepted', 'declined'] as const)
          await expect(
            clients().answerInvitation(id, { ...answer, answer: each }, other),
          ).rejects.toMatchObject(conflict('other_account'));
      expect(await clients().get(id)).toMatchObject({ coOwners: [], invitations: [{ status: 'pending' }] });
    });

    it('is rejected if it is declined, withdrawn, expired or unknown', async () => {
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
      await expect(clients().answerInvitation(id, unknown, invitee())).rejects.toMatchObject(
        conflict('unknown'),
      );
      expect((await clients().get(id)).coOwners).toEqual([]);
      const repeated = clients().withdrawInvitation(id, withdrawn.invitation.id);
      await expect(repeated).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is limited to one pending per address, and to the maximum number of co-owners', async () => {
      const application = await register();
      const { id, owner } = application;
      const { invited } = await invite(application);
      const again = clients().invite(id, draft(invited.email, owner));
      await expect(again).rejects.toMatchObject(conflict('already_invited'));
      await addCoOwners(id, MAX_CO_OWNERS - 1);
      await expect(clients().invite(id, draft('b@example.org', owner))).rejects.toMatchObject(
        conflict('co_owners_full'),
      );
      await expect(clients().addCoOwner(id, uuidv7())).rejects.toMatchObject(conflict('co_owners_full'));
      await expect(clients().changeOwner(id, uuidv7())).rejects.toMatchObject(conflict('co_owners_full'));
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

    it('is accepted once by ten concurrent calls on two connections', async () => {
      const processes = [clients(), await otherProcess()];
      const { id, invited, answer } = await invite(await register());
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => processes[i % 2]?.answerInvitation(id, answer, invited)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await clients().get(id)).coOwners).toHaveLength(1);
    });

    it('is either accepted or withdrawn in a race', async () => {
      const other = await otherProcess();
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

    it('gives no access to an application that is removed at the same time', async () => {
      const other = await otherProcess();
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

  describe('ended invitations', () => {
    it('are deleted with their address a month after their expiry, and others stay', async () => {
      const application = await register();
      const { id } = application;
      await invite(application);
      time.now += ONE_DAY_MS * INVITATION_RETENTION_DAYS;
      await invite(application);
      const { purgeExpired } = expireInvitations(storage.get().clients);
      time.now += ONE_DAY_MS;
      expect((await clients().get(id)).invitations).toHaveLength(2);
      await purgeExpired(new Date(time.now), 100);
      expect((await clients().get(id)).invitations).toHaveLength(2);
      await purgeExpired(new Date(time.now + 1), 100);
      expect((await clients().get(id)).invitations).toMatchObject([{ status: 'pending' }]);
      expect(await purgeExpired(new Date(time.now + 1), 100)).toBe(0);
    });

    it('are limited to twenty', async () => {
      const application = await register();
      for (let i = 0; i < 25; i += 1) {
        const { id, invitation } = await invite(application);
        await clients().withdrawInvitation(id, invitation.id);
      }
      const { id } = await invite(application);
      expect((await clients().get(id)).invitations).toHaveLength(21);
    });
  });
});
