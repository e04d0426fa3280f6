import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { client, invitation, later, now } from '../client.fixture.ts';
import type { Client } from '../client.ts';

/** Contract suite of client stores: owners, co-owners and invitations. */
export function coOwnerContract(engine: Engine): void {
  const storage = useStorage(engine);
  const clients = () => storage.get().clients;
  const idsOf = (page: readonly Client[]) => page.map(({ id }) => id);
  const coOwned = (members: Partial<Client>, ...accounts: readonly string[]) =>
    client({
      owner: 'owner',
      coOwners: accounts.map((accountId) => ({ accountId, since: now })),
      ...members,
    });

  describe('the co-owners of a client', () => {
    it('are stored with every member, like its invitations', async () => {
      const full = coOwned(
        {
          invitations: [
            invitation({ email: null, status: 'declined', closedInVersion: 3 }),
            invitation({ expiresAt: later }),
          ],
        },
        'ada',
        'bob',
      );
      await clients().insert(full);
      expect(await clients().find(full.id)).toStrictEqual(full);
    });

    it('find the clients that they co-own page by page, without any others', async () => {
      for (const id of ['c1', 'c2', 'c3']) await clients().insert(coOwned({ id }, 'carol', 'dora'));
      await clients().insert(coOwned({ id: 'c4' }, 'dora'));
      await clients().insert(coOwned({ id: 'c5', owner: 'carol' }));
      expect(idsOf(await clients().list({ coOwner: 'carol', limit: 2 }))).toEqual(['c1', 'c2']);
      expect(idsOf(await clients().list({ coOwner: 'carol', afterId: 'c2', limit: 2 }))).toEqual(['c3']);
      expect(idsOf(await clients().list({ coOwner: 'owner', limit: 2 }))).toEqual([]);
    });

    it('find them as last written by any process', async () => {
      const shared = coOwned({ id: 'd1' }, 'eve');
      const other = (await storage.openAnother()).clients;
      const listed = async (coOwner: string) => idsOf(await clients().list({ coOwner, limit: 9 }));
      expect(await other.insertWithinLimit({ ...shared, owner: 'owner' }, 9)).toBe(true);
      expect(await listed('eve')).toEqual(['d1']);
      await other.replace(coOwned({ ...shared, coOwners: [], version: 2 }), 1);
      expect([await listed('eve'), await listed('fay')]).toEqual([[], []]);
      const joined = coOwned({ ...shared, coOwners: [{ accountId: 'fay', since: now }], version: 3 });
      expect(await other.replaceAndAdmit(joined, 2, { account: 'fay' })).toBe('replaced');
      expect([await listed('eve'), await listed('fay')]).toEqual([[], ['d1']]);
      await other.remove('d1', 3);
      expect(await listed('fay')).toEqual([]);
    });
  });

  describe('clients with invitations', () => {
    it('are listed when their first invitation expires before an instant', async () => {
      const [early, late] = [new Date(now.getTime() - 2), new Date(now.getTime() - 1)];
      const invited = (id: string, ...expiries: readonly Date[]) =>
        clients().insert(client({ id, invitations: expiries.map((expiresAt) => invitation({ expiresAt })) }));
      await invited('i1', late, later);
      await invited('i2', early);
      await invited('i3', later);
      await invited('i4');
      expect(idsOf(await clients().listWithExpiredInvitations(now, 9))).toEqual(['i2', 'i1']);
      expect(idsOf(await clients().listWithExpiredInvitations(now, 1))).toEqual(['i2']);
      expect(idsOf(await clients().listWithExpiredInvitations(late, 9))).toEqual(['i2']);
    });
  });

  describe('making an account an owner', () => {
    const insert = async (members: Partial<Client> = {}) => {
      const added = client({ owner: 'former', ...members });
      await clients().insert(added);
      return added;
    };
    const given = (to: string, added: Client) => ({ ...added, owner: to, version: 2 });

    it('replaces the expected version and no other', async () => {
      const added = await insert();
      expect(await clients().replaceAndAdmit(given('gil', added), 2, { account: 'gil' })).toBe('stale');
      expect(await clients().find(added.id)).toStrictEqual(added);
      expect(await clients().replaceAndAdmit(given('gil', added), 1, { account: 'gil' })).toBe('replaced');
      expect(await clients().find(added.id)).toStrictEqual(given('gil', added));
      expect(await clients().replaceAndAdmit(given('hal', client()), 1, { account: 'hal' })).toBe('stale');
    });

    it('writes nothing for a closed account until it is reopened', async () => {
      const added = await insert();
      await clients().closeOwner('ida');
      expect(await clients().replaceAndAdmit(given('ida', added), 1, { account: 'ida' })).toBe('closed');
      expect(await clients().find(added.id)).toStrictEqual(added);
      await clients().reopenOwner('ida');
      expect(await clients().replaceAndAdmit(given('ida', added), 1, { account: 'ida' })).toBe('replaced');
    });

    it('counts the other clients that the account owns, but no clients that it co-owns', async () => {
      await insert(coOwned({}, 'jon'));
      const [first, second] = [await insert(), await insert()];
      const admitted = { account: 'jon', limit: 1 };
      expect(await clients().replaceAndAdmit(given('jon', first), 1, admitted)).toBe('replaced');
      expect(await clients().replaceAndAdmit({ ...given('jon', first), version: 3 }, 2, admitted)).toBe(
        'replaced',
      );
      expect(await clients().replaceAndAdmit(given('jon', second), 1, admitted)).toBe('full');
      expect(await clients().find(second.id)).toStrictEqual(second);
      const coOwner = coOwned({ ...second, version: 2 }, 'jon');
      expect(await clients().replaceAndAdmit(coOwner, 1, admitted)).toBe('replaced');
    });

    it('never exceeds the limit in a race on two connections', async () => {
      const stores = [clients(), (await storage.openAnother()).clients];
      const added = await Promise.all(Array.from({ length: 8 }, () => insert()));
      const outcomes = await Promise.all(
        added.map((each, i) =>
          stores[i % 2]?.replaceAndAdmit(given('kim', each), 1, { account: 'kim', limit: 3 }),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'replaced')).toHaveLength(3);
      expect(await clients().list({ owner: 'kim', limit: 9 })).toHaveLength(3);
    });

    it('stops once the account is closed, even in a race', async () => {
      const stores = [clients(), (await storage.openAnother()).clients];
      const added = await Promise.all(Array.from({ length: 8 }, () => insert()));
      const giving = Promise.all(
        added.map((each, i) => stores[i % 2]?.replaceAndAdmit(given('lea', each), 1, { account: 'lea' })),
      );
      await clients().closeOwner('lea');
      const seen = await clients().list({ owner: 'lea', limit: 9 });
      expect((await giving).filter((outcome) => outcome === 'replaced')).toHaveLength(seen.length);
    });
  });

  describe('removing a client', () => {
    it('removes the expected version and no other', async () => {
      const added = client();
      await clients().insert(added);
      expect(await clients().remove(added.id, 2)).toBe(false);
      expect(await clients().find(added.id)).toStrictEqual(added);
      expect(await clients().remove(added.id, 1)).toBe(true);
    });

    it('never succeeds together with a change of the same version in another process', async () => {
      const contested = Array.from({ length: 10 }, () => client({ id: randomUUID() }));
      await Promise.all(contested.map((each) => clients().insert(each)));
      const calls = contested.flatMap((each): StorageCall[] => [
        ['clients', 'replace', { ...each, version: 2 }, 1],
        ['clients', 'remove', each.id, 1],
      ]);
      const results = await storage.raceInTwoProcesses(calls);
      expect(results.flat().filter((result) => result === true)).toHaveLength(contested.length);
    });
  });
}
