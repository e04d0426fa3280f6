import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changed, newTicket } from './new-ticket.fixture.ts';
import { type NewTicket, newTicketSchema } from './ticket.ts';
import type { TicketStore } from './ticket-store.ts';

/** A database of its own for one suite. */
export interface TicketDatabase {
  /** Opens it, as one more process would. */
  open(): Promise<TicketStore>;
  drop(): Promise<void>;
}

const RACERS = 20;

/** What every store of tickets promises of single tickets. */
export function ticketStoreContract(createDatabase: () => Promise<TicketDatabase>): void {
  describe('a ticket store', () => {
    let database: TicketDatabase;
    let store: TicketStore;
    /** The same database, opened once more. */
    let other: TicketStore;

    beforeAll(async () => {
      database = await createDatabase();
      store = await database.open();
      other = await database.open();
    });
    afterAll(async () => {
      await Promise.all([store.close(), other.close()]);
      await database.drop();
    });

    const idsTagged = async (tag: string) => {
      const sort = { field: 'created_at', direction: 'asc' } as const;
      return (await other.list({ filter: { tag }, sort, limit: 100 })).map(({ id }) => id);
    };

    it('gives back every field as it was written', async () => {
      const ticket = changed(newTicket(fullTicket), { updated_at: '2026-03-01T12:00:00.001Z', version: 7 });
      await store.insert(ticket);
      for (const reader of [store, other]) expect(await reader.find(ticket.id)).toStrictEqual(ticket);
    });

    it('gives back a ticket that has nothing but a subject', async () => {
      const ticket = newTicket();
      await store.insert(ticket);
      expect(await other.find(ticket.id)).toStrictEqual(ticket);
    });

    it('gives back the largest ticket that the domain allows in each field', async () => {
      const ticket = newTicket({
        description: 'ß'.repeat(65_536),
        tags: Array.from({ length: 100 }, (_, i) => `tag-${i}`.padEnd(64, 'x')),
        custom_fields: Object.fromEntries(
          Array.from({ length: 100 }, (_, i) => [`field_${i}`, Array(100).fill(`${i}`.repeat(20))]),
        ),
      });
      await store.insert(ticket);
      expect(await other.find(ticket.id)).toStrictEqual(ticket);
    });

    it('keeps the order of tags and custom fields', async () => {
      const ticket = newTicket({ tags: ['z', 'a', 'm'], custom_fields: { zulu: 1, alpha: 2, mike: 3 } });
      await store.insert(ticket);
      const found = await other.find(ticket.id);
      expect(found?.tags).toEqual(['z', 'a', 'm']);
      expect(Object.keys(found?.custom_fields ?? {})).toEqual(['zulu', 'alpha', 'mike']);
    });

    it('finds nothing under an id that is not in use', async () => {
      expect(await store.find(randomUUID())).toBeUndefined();
      expect(await store.find('not an id')).toBeUndefined();
    });

    it('hands out tickets that nobody can change, and keeps none that somebody can', async () => {
      const fields = { tags: ['a'], custom_fields: { parts: ['a', 'b'] }, requester: ada };
      const given = structuredClone(newTicket(fields));
      await store.insert(given);
      given.tags.push('smuggled');
      const found = await store.find(given.id);
      expect(found?.tags).toEqual(['a']);
      for (const part of [
        found,
        found?.tags,
        found?.custom_fields,
        found?.custom_fields.parts,
        found?.requester,
      ]) {
        expect(Object.isFrozen(part)).toBe(true);
      }
    });

    it('refuses a second ticket with the same id and keeps the first', async () => {
      const ticket = newTicket({ tags: ['first-of-two'] });
      await store.insert(ticket);
      const second = other.insert({ ...ticket, subject: 'Another', tags: ['second-of-two'] });
      await expect(second).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.find(ticket.id)).toStrictEqual(ticket);
      expect(await idsTagged('second-of-two')).toEqual([]);
    });

    it('inserts exactly one of racing tickets with the same id', async () => {
      const id = randomUUID();
      const racers = Array.from({ length: RACERS }, (_, i) =>
        pick(i).insert({ ...newTicket({ subject: `${i}` }), id }),
      );
      const outcomes = await Promise.allSettled(racers);
      const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [`${i}`] : []));
      expect(winners).toEqual([(await store.find(id))?.subject]);
    });

    it('replaces every field of the expected version', async () => {
      const ticket = newTicket({ tags: ['before'] });
      await store.insert(ticket);
      const next = changed(ticket, {
        ...newTicketSchema.parse(fullTicket),
        updated_at: '2026-03-02T00:00:00.000Z',
      });
      expect(await store.replace(next, 1)).toBe(true);
      for (const reader of [store, other]) expect(await reader.find(ticket.id)).toStrictEqual(next);
      expect(await idsTagged('before')).toEqual([]);
      expect(await idsTagged('späť')).toContain(ticket.id);
    });

    it('replaces nothing at another version or under another id', async () => {
      const ticket = newTicket({ tags: ['kept'] });
      await store.insert(ticket);
      expect(await store.replace(changed(ticket, { tags: ['lost'], version: 3 }), 2)).toBe(false);
      expect(await store.replace(newTicket({ tags: ['lost'] }), 1)).toBe(false);
      expect(await other.find(ticket.id)).toStrictEqual(ticket);
      expect(await idsTagged('lost')).toEqual([]);
    });

    it('lets exactly one of racing replacements of one version win', async () => {
      const ticket = newTicket();
      await store.insert(ticket);
      const nexts = Array.from({ length: RACERS }, (_, i) => changed(ticket, { subject: `${i}` }));
      const wins = await Promise.all(nexts.map((next, i) => pick(i).replace(next, 1)));
      expect(wins.filter((isWin) => isWin)).toHaveLength(1);
      expect(await store.find(ticket.id)).toStrictEqual(nexts[wins.indexOf(true)]);
    });

    it('shows each opening of the database what another has just written', async () => {
      const ticket = newTicket({ requester: { email: 'grace@example.com', name: null } });
      await store.insert(ticket);
      let current = ticket;
      for (let i = 0; i < 4; i++) {
        const next = changed(current, { subject: `Change ${i}` });
        expect(await pick(i).find(ticket.id)).toStrictEqual(current);
        expect(await pick(i + 1).replace(next, current.version)).toBe(true);
        const query = { filter: { requester: 'grace@example.com' }, sort: byAge, limit: 10 };
        expect(await pick(i).list(query)).toStrictEqual([next]);
        current = next;
      }
    });

    it('removes only the expected version', async () => {
      const ticket = newTicket({ tags: ['removed'] });
      await store.insert(ticket);
      expect(await store.remove(ticket.id, 2)).toBe(false);
      expect(await idsTagged('removed')).toEqual([ticket.id]);
      expect(await store.remove(ticket.id, 1)).toBe(true);
      expect(await store.remove(ticket.id, 1)).toBe(false);
      for (const reader of [store, other]) expect(await reader.find(ticket.id)).toBeUndefined();
      expect(await idsTagged('removed')).toEqual([]);
    });

    it('removes any version when none is expected', async () => {
      const ticket = changed(newTicket());
      await store.insert(ticket);
      expect(await store.remove(ticket.id)).toBe(true);
      expect(await store.remove(ticket.id)).toBe(false);
    });

    it.each([
      ['the expected', 1],
      ['any', undefined],
    ])('lets exactly one of racing removals of %s version win', async (_, version) => {
      const ticket = newTicket();
      await store.insert(ticket);
      const racers = Array.from({ length: RACERS }, (_, i) => pick(i).remove(ticket.id, version));
      expect((await Promise.all(racers)).filter((isWin) => isWin)).toHaveLength(1);
    });

    it('shows the new ticket when the id of a removed one is used again', async () => {
      const ticket = newTicket();
      await store.insert(ticket);
      await other.find(ticket.id);
      await store.remove(ticket.id);
      const reused = { ...ticket, subject: 'Another ticket' };
      await store.insert(reused);
      for (const reader of [store, other]) expect(await reader.find(ticket.id)).toStrictEqual(reused);
    });

    it('still holds its tickets when it is opened again', async () => {
      const ticket = newTicket({ tags: ['reopened'] });
      const first = await database.open();
      await first.insert(ticket);
      await first.close();
      const second = await database.open();
      expect(await second.find(ticket.id)).toStrictEqual(ticket);
      expect(await idsTagged('reopened')).toEqual([ticket.id]);
      await second.close();
    });

    it('tells whether it is there', async () => {
      const closed = await database.open();
      await expect(closed.ping()).resolves.toBeUndefined();
      await closed.close();
      await expect(closed.ping()).rejects.toMatchObject({ code: 'unavailable' });
      await expect(closed.find(randomUUID())).rejects.toMatchObject({ code: 'unavailable' });
      await expect(closed.insert(newTicket())).rejects.toMatchObject({ code: 'unavailable' });
    });

    function pick(i: number): TicketStore {
      return i % 2 === 0 ? store : other;
    }
  });
}

const ada = { email: 'ada@example.com', name: 'Ada Lovelace' };
const byAge = { field: 'created_at', direction: 'asc' } as const;

const fullTicket: NewTicket = {
  subject: 'Žluťoučký kůň 😀 👩‍👩‍👧 e\u0301 "quoted" \\ back',
  description: 'One\r\ntwo\tthree\u2028four\n\nשלום مرحبا 漢字',
  status: 'hold',
  priority: 'urgent',
  type: 'incident',
  channel: 'mobile',
  requester: ada,
  assignee: { email: 'bob@example.com', name: null },
  tags: ['späť', '$where', 'a.b', '漢字'],
  custom_fields: {
    text: 'wörds',
    empty: '',
    whole: 9_007_199_254_740_991,
    decimal: -0.1,
    tiny: 5e-324,
    huge: 1.7976931348623157e308,
    yes: true,
    no: false,
    nothing: null,
    many: ['a', '', 'b'],
    none: [],
    constructor: 'is a field like any other',
    prototype: 'too',
  },
  external_id: 'CRM-0001',
  due_at: '9999-12-31T23:59:59.999Z',
};
