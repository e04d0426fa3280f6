import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changed, newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing, purging, toRecord } from '../commit/ticket-commit.fixture.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Ticket } from './ticket.ts';
import type { TicketStore } from './ticket-store.ts';

const RACERS = 20;
const committed = { outcome: 'committed' };
const stale = { outcome: 'stale' };

/** Contract of every ticket store for single tickets. */
export function ticketStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a ticket store', () => {
    const opened = openTwice(createDatabase);
    const stores = () => [opened.storage.tickets, opened.other.tickets];
    const pick = (i: number): TicketStore => (i % 2 === 0 ? opened.storage : opened.other).tickets;
    const add = (...tickets: Ticket[]) =>
      opened.storage.tickets.commit(tickets.map((ticket) => adding(ticket)));
    const find = (id: string) => opened.other.tickets.find(id);
    const idsTagged = async (tag: string) => {
      const found = await opened.other.tickets.list({
        filter: { tag: { any: [tag] } },
        sort: byAge,
        limit: 100,
      });
      return found.map(({ ticket }) => ticket.id);
    };

    it('returns every field as it was written', async () => {
      const ticket = newTicket({ ...fullTicket, updated_at: '2026-03-01T12:00:00.001Z', version: 7 });
      const record: TicketRecord = {
        ticket,
        publicVersion: 5,
        publicUpdatedAt: '2026-02-28T23:59:59.999Z',
        staffIds: ticket.cc.map((person) => person.id),
      };
      await opened.storage.tickets.commit([{ ...adding(ticket), record }]);
      for (const store of stores()) expect(await store.find(ticket.id)).toStrictEqual(record);
    });

    it('returns a ticket that has only a subject', async () => {
      const ticket = newTicket();
      await add(ticket);
      expect(await find(ticket.id)).toStrictEqual(toRecord(ticket));
    });

    it('returns a ticket with the largest allowed value in each field', async () => {
      const people = Array.from({ length: 50 }, () => newReference({ name: 'ß'.repeat(200) }));
      const ticket = newTicket({
        description: 'ß'.repeat(65_536),
        tags: Array.from({ length: 100 }, (_, i) => `tag-${i}`.padEnd(64, 'x')),
        cc: people,
        followers: people,
        custom_fields: Object.fromEntries(
          Array.from({ length: 200 }, (_, i) => [`field_${i}`, Array(100).fill(`${i}`.repeat(20))]),
        ),
      });
      await add(ticket);
      expect(await find(ticket.id)).toStrictEqual(toRecord(ticket));
    });

    it('keeps the order of tags, people, links and custom fields', async () => {
      const cc = [newReference(), newReference(), newReference()];
      const ticket = newTicket({
        tags: ['z', 'a', 'm'],
        cc,
        custom_fields: { zulu: 1, alpha: 2, mike: 3 },
        links: fullTicket.links ?? [],
      });
      await add(ticket);
      const found = await find(ticket.id);
      expect(found?.ticket.tags).toEqual(['z', 'a', 'm']);
      expect(found?.ticket.cc).toEqual(cc);
      expect(found?.ticket.links).toEqual(fullTicket.links);
      expect(Object.keys(found?.ticket.custom_fields ?? {})).toEqual(['zulu', 'alpha', 'mike']);
    });

    it('finds nothing under an id that is not in use', async () => {
      expect(await find(randomUUID())).toBeUndefined();
      expect(await find('not an id')).toBeUndefined();
    });

    it('finds all tickets of a list of ids, each once, and leaves out unknown ids', async () => {
      const tickets = [newTicket(), newTicket({ tags: ['second'] }), newTicket()];
      for (const ticket of tickets) await add(ticket);
      const ids = tickets.map(({ id }) => id);
      const found = await opened.other.tickets.findAll([...ids, randomUUID(), ...ids, 'not an id']);
      const byId = (records: readonly TicketRecord[]) =>
        records.toSorted((one, other) => (one.ticket.id < other.ticket.id ? -1 : 1));
      const one = await Promise.all(ids.map(find));
      expect(byId(found)).toStrictEqual(byId(one.filter((record) => record !== undefined)));
      expect(found).toHaveLength(tickets.length);
      expect(await opened.other.tickets.findAll([])).toEqual([]);
    });

    it('returns frozen tickets, and stores no reference to a mutable one', async () => {
      const fields = { tags: ['a'], custom_fields: { parts: ['a', 'b'] }, requester: ada, cc: [ada] };
      const given = structuredClone(newTicket(fields));
      await add(given);
      given.tags.push('smuggled');
      const found = await find(given.id);
      expect(found?.ticket.tags).toEqual(['a']);
      const { tags, custom_fields, requester, cc } = found?.ticket ?? given;
      for (const part of [found, found?.ticket, tags, custom_fields, custom_fields.parts, requester, cc[0]]) {
        expect(Object.isFrozen(part)).toBe(true);
      }
    });

    it('rejects a second ticket with the same id and keeps the first', async () => {
      const ticket = newTicket({ tags: ['first-of-two'] });
      await add(ticket);
      const second = { ...ticket, subject: 'Another', tags: ['second-of-two'] };
      await expect(opened.other.tickets.commit([adding(second)])).rejects.toMatchObject({
        code: 'id_in_use',
      });
      expect(await find(ticket.id)).toStrictEqual(toRecord(ticket));
      expect(await idsTagged('second-of-two')).toEqual([]);
    });

    it('adds exactly one of racing tickets with the same id', async () => {
      const id = randomUUID();
      const racers = Array.from({ length: RACERS }, (_, i) =>
        pick(i).commit([adding(newTicket({ id, subject: `${i}` }))]),
      );
      const outcomes = await Promise.allSettled(racers);
      const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [`${i}`] : []));
      expect(winners).toEqual([(await find(id))?.ticket.subject]);
    });

    it('replaces every field of the expected version', async () => {
      const ticket = newTicket({ tags: ['before'] });
      await add(ticket);
      const next = changed(ticket, { ...fullTicket, updated_at: '2026-03-02T00:00:00.000Z' });
      expect(await opened.storage.tickets.commit([changing(next)])).toEqual(committed);
      for (const store of stores()) expect(await store.find(ticket.id)).toStrictEqual(toRecord(next));
      expect(await idsTagged('before')).toEqual([]);
      expect(await idsTagged('späť')).toContain(ticket.id);
    });

    it('replaces nothing at another version or under another id', async () => {
      const ticket = newTicket({ tags: ['kept'] });
      await add(ticket);
      const third = { ...ticket, tags: ['lost'], version: 3 };
      const stranger = newTicket({ tags: ['lost'], version: 2 });
      for (const next of [third, stranger]) {
        expect(await opened.other.tickets.commit([changing(next)])).toEqual(stale);
      }
      expect(await find(ticket.id)).toStrictEqual(toRecord(ticket));
      expect(await idsTagged('lost')).toEqual([]);
    });

    it('commits exactly one of racing changes of one version', async () => {
      const ticket = newTicket();
      await add(ticket);
      const nexts = Array.from({ length: RACERS }, (_, i) => changed(ticket, { subject: `${i}` }));
      const outcomes = await Promise.all(nexts.map((next, i) => pick(i).commit([changing(next)])));
      const winners = nexts.filter((_, i) => outcomes[i]?.outcome === 'committed');
      expect(winners).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'stale')).toHaveLength(RACERS - 1);
      expect((await find(ticket.id))?.ticket).toStrictEqual(winners[0]);
    });

    it('returns the latest writes of every other connection to the database', async () => {
      const requester = newReference();
      const ticket = newTicket({ requester });
      await add(ticket);
      let current = ticket;
      for (let i = 0; i < 4; i++) {
        const next = changed(current, { subject: `Change ${i}` });
        expect(await pick(i).find(ticket.id)).toStrictEqual(toRecord(current));
        expect(await pick(i + 1).commit([changing(next)])).toEqual(committed);
        const query = { filter: { requester: { any: [requester.id] } }, sort: byAge, limit: 10 };
        expect(await pick(i).list(query)).toStrictEqual([toRecord(next)]);
        current = next;
      }
    });

    it('purges only the expected version', async () => {
      const ticket = newTicket({ tags: ['purged'] });
      await add(ticket);
      expect(await opened.other.tickets.commit([purging({ ...ticket, version: 2 })])).toEqual(stale);
      expect(await idsTagged('purged')).toEqual([ticket.id]);
      expect(await opened.other.tickets.commit([purging(ticket)])).toEqual(committed);
      expect(await opened.other.tickets.commit([purging(ticket)])).toEqual(stale);
      for (const store of stores()) expect(await store.find(ticket.id)).toBeUndefined();
      expect(await idsTagged('purged')).toEqual([]);
    });

    it('commits exactly one of racing purges', async () => {
      const ticket = newTicket();
      await add(ticket);
      const racers = Array.from({ length: RACERS }, (_, i) => pick(i).commit([purging(ticket)]));
      const outcomes = (await Promise.all(racers)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1);
    });

    it('returns the new ticket when the id of a purged one is reused', async () => {
      const ticket = newTicket();
      await add(ticket);
      await find(ticket.id);
      await opened.storage.tickets.commit([purging(ticket)]);
      const reused = { ...ticket, subject: 'Another ticket' };
      await add(reused);
      for (const store of stores()) expect(await store.find(ticket.id)).toStrictEqual(toRecord(reused));
    });

    it('finds a deleted ticket', async () => {
      const deleted = newTicket({ deleted_at: '2026-03-02T00:00:00.000Z' });
      await add(deleted);
      expect(await find(deleted.id)).toStrictEqual(toRecord(deleted));
    });

    it('still has its tickets after it is reopened', async () => {
      const ticket = newTicket({ tags: ['reopened'] });
      const first = await opened.database.open();
      await first.tickets.commit([adding(ticket)]);
      await first.close();
      const second = await opened.database.open();
      expect(await second.tickets.find(ticket.id)).toStrictEqual(toRecord(ticket));
      expect(await idsTagged('reopened')).toEqual([ticket.id]);
      await second.close();
    });

    it('reports whether the database is available', async () => {
      const closed = await opened.database.open();
      await expect(closed.ping()).resolves.toBeUndefined();
      await closed.close();
      const replies = { ticketId: randomUUID(), isPublicOnly: true, direction: 'asc', limit: 1 } as const;
      const questions: (() => Promise<unknown>)[] = [
        () => closed.ping(),
        () => closed.tickets.find(randomUUID()),
        () => closed.tickets.commit([adding(newTicket())]),
        () => closed.replies.list(replies),
        () => closed.changes.bounds('staff'),
        () => closed.people.find(randomUUID()),
      ];
      for (const ask of questions) await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
    });
  });
}

const ada = newReference({ email: 'ada@example.com', name: 'Ada Lovelace' });
const byAge = { field: 'created_at', direction: 'asc' } as const;

const fullTicket: Partial<Ticket> = {
  subject: 'Žluťoučký kůň 😀 👩‍👩‍👧 e\u0301 "quoted" \\ back',
  description: 'One\r\ntwo\tthree\u2028four\n\nשלום مرحبا 漢字',
  status: 'hold',
  priority: 'urgent',
  type: 'incident',
  channel: 'mobile',
  requester: ada,
  assignee: newReference(),
  cc: [newReference({ name: '漢字' }), ada],
  followers: [newReference()],
  follow_up_of: randomUUID(),
  links: [
    { type: 'related', ticket_id: randomUUID() },
    { type: 'duplicate', ticket_id: randomUUID() },
    { type: 'parent', ticket_id: randomUUID() },
  ],
  first_replied_at: '2026-03-01T12:00:00.002Z',
  last_reply_at: '2026-03-02T12:00:00.004Z',
  last_customer_reply_at: '2026-03-02T12:00:00.003Z',
  waiting_since: '2026-03-02T12:00:00.002Z',
  reply_count: 3,
  solved_at: '2026-03-01T12:00:00.003Z',
  closed_at: '2026-03-01T12:00:00.004Z',
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
