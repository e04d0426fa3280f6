import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { newRequest, repeatWhileInFlight } from '../../tests/idempotency.fixture.ts';
import type { Identity, Person, PersonRecord } from './person.ts';
import {
  firstPersonRecord,
  nextPersonRecord,
  type PersonChanges,
  toFinishedTombstone,
  toMasked,
  toTombstone,
} from './person-record.ts';
import type { PersonQuery, PersonStore } from './person-store.ts';

/** Contract of every store of people. */
export function personStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a person store', () => {
    const opened = openTwice(createDatabase);
    const stores = () => [opened.storage.people, opened.other.people] as const;

    async function add(fields: NewFields = {}): Promise<PersonRecord> {
      const record = newRecord(fields);
      expect(await opened.storage.people.write([{ record }])).toBe(true);
      return record;
    }

    it('returns every field as it was written, frozen', async () => {
      for (const name of ['Žofia Ángel 漢字 😀', null]) {
        const record = await add({ name, role: 'agent', claimsAt: 1_780_000_000 });
        const { person, identities } = record;
        for (const found of [
          await opened.other.people.find(person.id),
          await opened.other.people.findByEmail(person.email ?? ''),
          await opened.other.people.findByIdentity(identities[0] as Identity),
          (await opened.other.people.findAll([person.id]))[0],
          (await opened.other.people.findByEmails(person.addresses))[0],
        ]) {
          expect(found).toStrictEqual(record);
          expect(Object.isFrozen(found?.person)).toBe(true);
        }
      }
    });

    it('finds several people at once, each once, and leaves out unknown ones', async () => {
      const [{ person: one }, { person: other }] = [await add(), await add()];
      const second = `${randomUUID()}@example.com`;
      await replace(one.id, { addresses: [second, ...one.addresses] });
      const ids = new Set([one.id, other.id]);
      const { people } = opened.other;
      const found = await people.findAll([one.id, randomUUID(), other.id]);
      expect(new Set(found.map(({ person }) => person.id))).toEqual(ids);
      const emails = [second, one.email ?? '', 'nobody@example.com', other.email ?? ''];
      const named = await people.findByEmails(emails);
      expect(named).toHaveLength(2);
      expect(new Set(named.map(({ person }) => person.id))).toEqual(ids);
      expect([...(await people.findAll([])), ...(await people.findByEmails([]))]).toEqual([]);
    });

    it('commits a request once, and replays it even if the person has changed since', async () => {
      const { person } = await add();
      const before = (await opened.storage.people.find(person.id)) as PersonRecord;
      const record = nextPersonRecord(before, { name: 'Once' }, new Date());
      const request = { records: [newRequest()], answer: { name: 'Once' }, ticketId: null };
      const writes = [{ expectedVersion: 1, record }];
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          repeatWhileInFlight(() => (stores()[i % 2] as PersonStore).commit(writes, request)),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'committed')).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(9);
      expect(await opened.other.people.commit(writes, undefined)).toEqual({ outcome: 'stale' });
      const another = { ...request, records: request.records.map((each) => ({ ...each, fingerprint: 'x' })) };
      expect(await opened.other.people.commit([], another)).toMatchObject({ outcome: 'mismatch' });
      expect((await opened.other.people.find(person.id))?.person).toMatchObject({ name: 'Once', version: 2 });
    });

    it('stores no record of a request whose write is stale', async () => {
      const { person } = await add();
      const before = (await opened.storage.people.find(person.id)) as PersonRecord;
      const record = nextPersonRecord(before, { name: 'Late' }, new Date());
      const request = { records: [newRequest()], answer: 'late', ticketId: null };
      expect(await opened.storage.people.commit([{ expectedVersion: 7, record }], request)).toEqual({
        outcome: 'stale',
      });
      expect(await opened.other.people.commit([{ expectedVersion: 1, record }], request)).toEqual({
        outcome: 'committed',
      });
    });

    it('lists people whose merge is pending', async () => {
      const [one, other] = [await add(), await add()];
      const tombstone = toTombstone(other, one.person.id, new Date());
      await opened.storage.people.write([{ expectedVersion: 1, record: tombstone }]);
      expect(await opened.other.people.listPendingMerges(10)).toStrictEqual([tombstone]);
      const record = toFinishedTombstone(tombstone, new Date());
      await opened.storage.people.write([{ expectedVersion: 2, record }]);
      expect(await opened.other.people.listPendingMerges(10)).toEqual([]);
    });

    it('lists people whose masking is pending, and ends it without changing the version', async () => {
      const staff = nextPersonRecord(await add(), { role: 'agent' }, new Date());
      await opened.storage.people.write([{ expectedVersion: 1, record: staff }]);
      expect(await opened.other.people.listPendingMaskings(10)).toStrictEqual([staff]);
      const end = { expectedVersion: 2, record: toMasked(staff) };
      expect(await opened.storage.people.write([end])).toBe(true);
      expect(await opened.other.people.listPendingMaskings(10)).toEqual([]);
    });

    it('returns undefined for an unknown person', async () => {
      const { identities } = await add();
      const [{ issuer, subject }] = identities as [Identity];
      const { people } = opened.other;
      expect(await people.find(randomUUID())).toBeUndefined();
      expect(await people.findByEmail('nobody@example.com')).toBeUndefined();
      expect(await people.findByIdentity({ issuer: `${issuer}/`, subject })).toBeUndefined();
      expect(await people.findByIdentity({ issuer, subject: `${subject} ` })).toBeUndefined();
    });

    it('finds a person only by current addresses and identities', async () => {
      const { person, identities } = await add({ name: 'Quibble Had' });
      const email = `${randomUUID()}@example.com`;
      await replace(person.id, { addresses: [email], name: 'Quarrel Has', identities: [] });
      const { people } = opened.other;
      expect((await people.findByEmail(email))?.person.id).toBe(person.id);
      expect(await people.findByEmail(person.email ?? '')).toBeUndefined();
      expect(await people.findByIdentity(identities[0] as Identity)).toBeUndefined();
      expect(await emailsOf({ prefix: 'quibb' })).toEqual([]);
      expect(await emailsOf({ prefix: 'quarr' })).toEqual([email]);
      expect(await emailsOf({ prefix: person.email ?? '' })).toEqual([]);
      await replace(person.id, { addresses: [] });
      expect(await emailsOf({ prefix: 'quarr' })).toEqual([null]);
    });

    it('adds one of several concurrent people with the same address or identity', async () => {
      const email = `${randomUUID()}@example.com`;
      const identities = [newIdentity()];
      for (const fields of [{ email }, { identities }]) {
        const racers = Array.from({ length: 20 }, (_, i) => {
          const record = newRecord(fields);
          return stores()
            [i % 2]?.write([{ record }])
            .then((isWritten) => (isWritten ? [record] : []));
        });
        const written = (await Promise.all(racers)).flatMap((each) => each ?? []);
        expect(written).toHaveLength(1);
        const { people } = opened.other;
        const found =
          'email' in fields
            ? await people.findByEmail(email)
            : await people.findByIdentity(identities[0] as Identity);
        expect(found).toStrictEqual(written[0]);
      }
    });

    it('commits one of several concurrent changes of the same version', async () => {
      const before = await add();
      const racers = Array.from({ length: 20 }, (_, i) => {
        const record = nextPersonRecord(before, { name: `Racer ${i}` }, new Date());
        return stores()[i % 2]?.write([{ expectedVersion: 1, record }]);
      });
      expect((await Promise.all(racers)).filter(Boolean)).toHaveLength(1);
      expect((await opened.other.people.find(before.person.id))?.person.version).toBe(2);
    });

    it('moves an address between people in one write, and commits one of several concurrent moves', async () => {
      const holder = await add();
      const email = holder.person.email as string;
      const loser = nextPersonRecord(holder, { addresses: [] }, new Date());
      const racers = Array.from({ length: 10 }, (_, i) => {
        const record = newRecord({ email });
        const writes = [{ record }, { expectedVersion: 1, record: loser }];
        return stores()
          [i % 2]?.write(writes)
          .then((isWritten) => (isWritten ? [record] : []));
      });
      const written = (await Promise.all(racers)).flatMap((each) => each ?? []);
      expect(written).toHaveLength(1);
      expect(await opened.other.people.findByEmail(email)).toStrictEqual(written[0]);
      expect(await opened.other.people.find(holder.person.id)).toStrictEqual(loser);
    });

    it('writes no person if one of them is stale, or has an address or identity of another', async () => {
      const [one, other] = [await add(), await add()];
      const changed = nextPersonRecord(one, { name: 'Changed' }, new Date());
      const stale = nextPersonRecord(other, { name: 'Stale' }, new Date());
      const greedy = newRecord({ email: other.person.email });
      for (const second of [{ expectedVersion: 7, record: stale }, { record: greedy }]) {
        const writes = [{ expectedVersion: 1, record: changed }, second];
        expect(await opened.storage.people.write(writes)).toBe(false);
        expect(await opened.storage.people.write(writes.toReversed())).toBe(false);
      }
      expect(await opened.other.people.find(one.person.id)).toStrictEqual(one);
      expect(await opened.other.people.find(other.person.id)).toStrictEqual(other);
      expect(await opened.other.people.find(greedy.person.id)).toBeUndefined();
    });

    describe('searched', () => {
      const domain = `${randomUUID()}.example`;
      const people = [
        newRecord({ email: `ada@${domain}`, name: 'Ada King Quillon', role: 'agent' }),
        newRecord({ email: `bob@${domain}`, name: 'Quentin_Bob', role: 'customer' }),
        newRecord({ email: `quinn@${domain}`, name: null }),
        newRecord({ email: `zoe@${domain}`, name: 'Žofia Ángelquin', role: 'admin' }),
      ];
      const addAll = async () => {
        for (const record of people) await opened.storage.people.write([{ record }]);
      };
      const found = async (query: Partial<PersonQuery>) =>
        (await emailsOf(query)).filter((email) => email?.endsWith(domain)).map((email) => email?.[0]);

      it.each([
        ['qu', ['a', 'b', 'q']],
        ['qui', ['a', 'q']],
        ['quil', ['a']],
        ['ada', ['a']],
        ['ada k', ['a']],
        ['king', ['a']],
        ['king quillo', ['a']],
        ['ing', []],
        ['žof', ['z']],
        ['áng', ['z']],
        ['quin', ['q']],
        [`quinn@${domain}`, ['q']],
        ['_', []],
        ['%', []],
        ['.', []],
      ])(
        'finds people whose address, name or later word of the name begins with %j',
        async (prefix, initials) => {
          await addAll();
          expect(await found({ prefix })).toEqual(initials);
          const all = await listed({ prefix, limit: 1_000 });
          expect(await opened.other.people.count({ prefix, limit: 1_000 })).toBe(all.length);
        },
      );

      it.each([
        [{ roles: ['agent'] }, ['a']],
        [{ roles: ['agent', 'admin'] }, ['a', 'z']],
        [{ roles: ['customer', 'agent', 'admin'] }, ['a', 'b', 'z']],
        [{ prefix: 'qu', roles: ['customer'] }, ['b']],
        [{ prefix: 'king quillo', roles: ['agent'] }, ['a']],
        [{ prefix: 'king quillo', roles: ['admin'] }, []],
      ] as const)('finds whose latest sign-in was of one of the roles: %j', async (query, initials) => {
        await addAll();
        expect(await found(query)).toEqual(initials);
        const all = await listed({ ...query, limit: 1_000 });
        expect(await opened.other.people.count({ ...query, limit: 1_000 })).toBe(all.length);
      });
    });

    async function listed(query: Partial<PersonQuery>): Promise<readonly Person[]> {
      return (await opened.other.people.list({ limit: 100, ...query })).map(({ person }) => person);
    }

    async function emailsOf(query: Partial<PersonQuery>): Promise<(string | null)[]> {
      return (await listed(query)).map(({ email }) => email);
    }

    async function replace(id: string, changes: PersonChanges): Promise<void> {
      const before = (await opened.storage.people.find(id)) as PersonRecord;
      const record = nextPersonRecord(before, changes, new Date());
      const write = { expectedVersion: before.person.version, record };
      expect(await opened.storage.people.write([write])).toBe(true);
    }
  });
}

type NewFields = Partial<Parameters<typeof firstPersonRecord>[0]>;

function newRecord(fields: NewFields = {}): PersonRecord {
  const id = randomUUID();
  const identities = [newIdentity()];
  const person = { id, email: `${id}@example.com`, name: null, identities, ...fields };
  return firstPersonRecord(person, new Date('2026-03-01T12:00:00.001Z'));
}

function newIdentity(): Identity {
  return { issuer: 'https://id.example', subject: randomUUID() };
}
