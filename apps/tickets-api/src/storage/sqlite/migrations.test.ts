import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { firstPersonRecord } from '../../helpdesk/people/person-record.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import { ticketSchema } from '../../helpdesk/tickets/ticket.ts';
import { identityMigration } from './identity-migration.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';

const ada = { email: 'ada@example.com', name: 'Žofia ÁNGEL' };
const bob = { email: 'bob@example.com', name: null };
const updatedAt = '2026-03-02T12:00:00.001Z';

/** Creates a ticket in the format before replies. */
const oldTicket = (fields: Record<string, unknown>) => ({
  id: randomUUID(),
  subject: 'The printer is on fire',
  description: '',
  status: 'open',
  priority: 'normal',
  type: null,
  channel: 'api',
  requester: null,
  assignee: null,
  tags: ['printer'],
  custom_fields: { tiny: 5e-324, whole: 9_007_199_254_740_991, requester: 'Žofia' },
  external_id: null,
  due_at: null,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: updatedAt,
  version: 3,
  ...fields,
});

describe('migration of a file with tickets only', () => {
  const requested = oldTicket({ requester: ada, assignee: bob });
  const solved = oldTicket({ status: 'solved', requester: { ...ada, name: null } });
  const closed = oldTicket({ status: 'closed', created_at: '2026-02-01T12:00:00.000Z' });
  let folder: string;
  let storage: Storage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const sqlite = openSqlite({ path, migrations: migrations.slice(0, 2), applicationId: 0x4b_44_54_4b });
    const insert = sqlite.prepare(`
      INSERT INTO tickets (id, version, status, priority, requester, assignee, created_at, updated_at, document)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    await sqlite.write(() => {
      for (const ticket of [requested, solved, closed]) {
        const { id, version, status, priority, requester, assignee, created_at, updated_at } = ticket;
        const times = [Date.parse(created_at), Date.parse(updated_at)] as const;
        const emails = [requester, assignee].map((person: { email: string } | null) => person?.email ?? null);
        insert.run(id, version, status, priority, ...emails, ...times, JSON.stringify(ticket));
      }
    });
    await sqlite.close();
    storage = await openSqliteStorage({ path });
  });
  afterAll(async () => {
    await storage.close();
    await rm(folder, { recursive: true });
  });

  const find = async (id: string) => (await storage.tickets.find(id))?.ticket;

  it('keeps tickets and adds the people they refer to', async () => {
    const people = (await storage.people.list({ limit: 10 })).map(({ person }) => person);
    expect(people).toMatchObject([
      { ...ada, created_at: requested.created_at },
      { ...bob, created_at: requested.created_at },
    ]);
    const [adaId, bobId] = people.map(({ id }) => id);
    expect(await find(requested.id)).toStrictEqual({
      ...requested,
      status_category: 'open',
      requester: { ...ada, id: adaId },
      assignee: { ...bob, id: bobId },
      ...{ cc: [], followers: [], links: [] },
      follow_up_of: null,
      first_replied_at: null,
      last_reply_at: null,
      last_customer_reply_at: null,
      waiting_since: requested.created_at,
      reply_count: 0,
      solved_at: null,
      closed_at: null,
      deleted_at: null,
    });
    for (const { id } of [requested, solved, closed]) ticketSchema.parse(await find(id));
    expect((await storage.tickets.find(requested.id))?.publicUpdatedAt).toBe(updatedAt);
  });

  it('finds people by name', async () => {
    for (const prefix of ['žof', 'áng', 'ada@']) {
      expect(await storage.people.list({ prefix, limit: 10 })).toMatchObject([{ person: ada }]);
    }
  });

  it('finds tickets by words', async () => {
    const search = [{ words: ['printer', 'is'], isPrefix: false }];
    const sort = { field: 'created_at', direction: 'desc' } as const;
    expect(await storage.tickets.list({ search, filter: {}, sort, limit: 10 })).toHaveLength(3);
  });

  it('sets the times of solving and closing', async () => {
    expect(await find(solved.id)).toMatchObject({ solved_at: updatedAt, closed_at: null });
    expect(await find(closed.id)).toMatchObject({ solved_at: null, closed_at: updatedAt });
    const due = await storage.tickets.listDue('solved', new Date('2026-04-01T00:00:00.000Z'), 10);
    expect(due.map(({ ticket }) => ticket.id)).toEqual([solved.id]);
  });

  it('adds tickets to the lists and feeds of their requesters', async () => {
    const reader = (await storage.people.findByEmail(ada.email))?.person.id ?? '';
    const sort = { field: 'updated_at', direction: 'asc' } as const;
    const idsOf = async (query: { reader?: string }) =>
      (await storage.tickets.list({ ...query, filter: {}, sort, limit: 10 })).map(({ ticket }) => ticket.id);
    const changedIds = async (who: string) =>
      (await storage.changes.list({ reader: who, after: 0, limit: 10 })).map(({ id }) => id);
    const [all, hers] = [
      [requested.id, solved.id, closed.id].toSorted(),
      [requested.id, solved.id].toSorted(),
    ];
    expect(await idsOf({})).toEqual(all);
    expect(await idsOf({ reader })).toEqual(hers);
    expect(await changedIds('staff')).toEqual(all);
    expect(await changedIds(reader)).toEqual(hers);
    expect(await storage.changes.bounds(reader)).toEqual({ last: 2, purgedUpTo: 0 });
  });
});

describe('migration of the word index', () => {
  it('finds tickets by words, prefixes and phrases', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const sqlite = openSqlite({ path, migrations: migrations.slice(0, 7), applicationId: 0x4b_44_54_4b });
    const { id, ...ticket } = oldTicket({ subject: 'A walrus on the ice floe' });
    await sqlite.write(() => {
      sqlite
        .prepare(`
          INSERT INTO tickets (id, version, status, priority, created_at, updated_at, document)
          VALUES (?, 1, 'open', 'normal', 1, 1, ?)`)
        .run(id, JSON.stringify({ id, ...ticket }));
      sqlite
        .prepare(`INSERT INTO ticket_texts VALUES (1, ' a walrus on the ice floe ', '', '', '', 1)`)
        .run();
    });
    await sqlite.close();
    const storage = await openSqliteStorage({ path });
    const count = (words: string[], isPrefix: boolean) =>
      storage.tickets.count({
        search: [{ words, isPrefix }],
        filter: {},
        sort: { field: 'created_at', direction: 'desc' },
        limit: 10,
      });
    const found = [
      await count(['walrus'], false),
      await count(['wal'], true),
      await count(['walrus', 'on', 'th'], true),
      await count(['the', 'walrus'], false),
    ];
    expect(found).toEqual([1, 1, 1, 0]);
    await storage.close();
    await rm(folder, { recursive: true });
  });
});

describe('migration of conversations', () => {
  it('counts them from replies', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const sqlite = openSqlite({ path, migrations: migrations.slice(0, 9), applicationId: 0x4b_44_54_4b });
    const requester = { ...ada, id: randomUUID() };
    const people = { requester, cc: [{ ...bob, id: randomUUID() }], solved_at: null };
    const tickets = [
      { ticket: oldTicket(people), replies: [] },
      { ticket: oldTicket(people), replies: ['cc 1', 'staff 2', 'requester 3', 'cc 4', 'note 5'] },
      { ticket: oldTicket({ ...people, status: 'solved', solved_at: at(9) }), replies: ['requester 3'] },
      { ticket: oldTicket({ ...people, solved_at: at(2) }), replies: ['requester 1', 'requester 3'] },
      { ticket: oldTicket({ ...people, solved_at: at(2) }), replies: ['requester 1'] },
    ];
    await sqlite.write(() => {
      for (const { ticket, replies } of tickets) {
        const { lastInsertRowid: seq } = sqlite
          .prepare(`
            INSERT INTO tickets (id, version, status, priority, created_at, updated_at, document)
            VALUES (?, 1, ?, 'normal', 1, 1, ?)`)
          .run(ticket.id, ticket.status, JSON.stringify(ticket));
        for (const [i, reply] of replies.entries()) insertOldReply(sqlite, seq, i, reply, people);
      }
    });
    await sqlite.close();
    const storage = await openSqliteStorage({ path });
    const found = [];
    for (const { ticket } of tickets) found.push((await storage.tickets.find(ticket.id))?.ticket);
    const created = tickets[0]?.ticket.created_at;
    expect(found).toMatchObject([
      { last_reply_at: null, last_customer_reply_at: null, waiting_since: created, reply_count: 0 },
      { last_reply_at: at(4), last_customer_reply_at: at(4), waiting_since: at(3), reply_count: 4 },
      { last_reply_at: at(3), waiting_since: null, reply_count: 1 },
      { last_reply_at: at(3), waiting_since: at(3), reply_count: 2 },
      { last_reply_at: at(1), last_customer_reply_at: at(1), waiting_since: null, reply_count: 1 },
    ]);
    const query = { ticketId: tickets[1]?.ticket.id ?? '', isPublicOnly: false, direction: 'asc' } as const;
    const replies = await storage.replies.list({ ...query, limit: 10 });
    expect(replies.map(({ incoming }) => incoming)).toEqual([true, false, true, true, false]);
    await storage.close();
    await rm(folder, { recursive: true });
  });
});

describe('migration of people', () => {
  it('keeps people, without identities, and finds tickets by their ids', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const earlier = migrations.slice(0, migrations.indexOf(identityMigration));
    const sqlite = openSqlite({ path, migrations: earlier, applicationId: 0x4b_44_54_4b });
    const [person, other] = [
      { ...ada, id: randomUUID() },
      { ...bob, id: randomUUID() },
    ];
    const ticket = newTicket({ requester: person, assignee: other, cc: [other] }, updatedAt);
    await sqlite.write(() => {
      const insert = sqlite.prepare('INSERT INTO people VALUES (?, ?, ?, ?)');
      for (const { id, email, name } of [person, other]) insert.run(id, email, name, Date.parse(updatedAt));
      for (const term of ['žof', 'žofia ángel']) {
        sqlite.prepare('INSERT INTO person_terms VALUES (?, ?)').run(term, ada.email);
      }
      sqlite
        .prepare(`
          INSERT INTO tickets (id, version, status, priority, requester, assignee, created_at, updated_at, document)
          VALUES (?, 1, 'new', 'normal', ?, ?, 1, 1, ?)`)
        .run(ticket.id, ada.email, bob.email, JSON.stringify(ticket));
    });
    await sqlite.close();
    const storage = await openSqliteStorage({ path });
    const expected = firstPersonRecord(person, new Date(updatedAt));
    expect(await storage.people.find(person.id)).toStrictEqual(expected);
    expect(await storage.people.findByEmail(ada.email)).toStrictEqual(expected);
    expect(await storage.people.list({ prefix: 'žof', limit: 10 })).toStrictEqual([expected]);
    expect(await storage.people.list({ limit: 10 })).toHaveLength(2);
    const sort = { field: 'created_at', direction: 'desc' } as const;
    for (const filter of [{ requester: { any: [person.id] } }, { assignee: { any: [other.id] } }]) {
      expect(await storage.tickets.count({ filter, sort, limit: 10 })).toBe(1);
    }
    await storage.close();
    await rm(folder, { recursive: true });
  });
});

const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;

/** Inserts a reply by an author at a minute, in the format before replies had a direction. */
function insertOldReply(
  { prepare }: Pick<ReturnType<typeof openSqlite>, 'prepare'>,
  seq: number | bigint,
  i: number,
  text: string,
  { requester, cc }: { requester: object; cc: readonly object[] },
): void {
  const [who = '', minute] = text.split(' ');
  const authors: Record<string, object | null | undefined> = { requester, cc: cc[0], staff: { id: 'staff' } };
  const id = `019a2b3c-4d5e-7f60-8a1b-0000000000${seq}${i}`;
  const reply = { id, author: authors[who] ?? null, created_at: at(Number(minute)) };
  prepare('INSERT INTO replies (ticket_seq, id, is_public, document) VALUES (?, ?, ?, ?)').run(
    seq,
    id,
    Number(who !== 'note'),
    JSON.stringify(reply),
  );
}
