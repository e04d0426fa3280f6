import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ticketSchema } from '../../tickets/ticket.ts';
import type { Storage } from '../storage.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';

const ada = { email: 'ada@example.com', name: 'Žofia ÁNGEL' };
const bob = { email: 'bob@example.com', name: null };
const updatedAt = '2026-03-02T12:00:00.001Z';

/** A ticket as it was before there were replies. */
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

describe('a file of tickets alone that is opened as a helpdesk', () => {
  const asked = oldTicket({ requester: ada, assignee: bob });
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
      for (const ticket of [asked, solved, closed]) {
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

  it('keeps its tickets, which refer to people now', async () => {
    const people = await storage.people.list({ limit: 10 });
    expect(people).toMatchObject([
      { ...ada, created_at: asked.created_at },
      { ...bob, created_at: asked.created_at },
    ]);
    const [adaId, bobId] = people.map(({ id }) => id);
    expect(await find(asked.id)).toStrictEqual({
      ...asked,
      requester: { ...ada, id: adaId },
      assignee: { ...bob, id: bobId },
      cc: [],
      followers: [],
      links: [],
      follow_up_of: null,
      first_replied_at: null,
      solved_at: null,
      closed_at: null,
      deleted_at: null,
    });
    for (const { id } of [asked, solved, closed]) ticketSchema.parse(await find(id));
    expect((await storage.tickets.find(asked.id))?.publicUpdatedAt).toBe(updatedAt);
  });

  it('finds its people by their names', async () => {
    for (const prefix of ['žof', 'áng', 'ada@']) {
      expect(await storage.people.list({ prefix, limit: 10 })).toMatchObject([ada]);
    }
  });

  it('finds its tickets by their words', async () => {
    const search = [{ words: ['printer', 'is'], isPrefix: false }];
    const sort = { field: 'created_at', direction: 'desc' } as const;
    expect(await storage.tickets.list({ search, filter: {}, sort, limit: 10 })).toHaveLength(3);
  });

  it('knows since when a ticket is solved or closed', async () => {
    expect(await find(solved.id)).toMatchObject({ solved_at: updatedAt, closed_at: null });
    expect(await find(closed.id)).toMatchObject({ solved_at: null, closed_at: updatedAt });
    const due = await storage.tickets.listDue('solved', new Date('2026-04-01T00:00:00.000Z'), 10);
    expect(due.map(({ ticket }) => ticket.id)).toEqual([solved.id]);
  });

  it('shows its tickets to those who asked, in lists and as changes', async () => {
    const reader = (await storage.people.findByEmail(ada.email))?.id ?? '';
    const sort = { field: 'updated_at', direction: 'asc' } as const;
    const idsOf = async (query: { reader?: string }) =>
      (await storage.tickets.list({ ...query, filter: {}, sort, limit: 10 })).map(({ ticket }) => ticket.id);
    const changedIds = async (who: string) =>
      (await storage.changes.list({ reader: who, after: 0, limit: 10 })).map(({ id }) => id);
    const [all, hers] = [[asked.id, solved.id, closed.id].toSorted(), [asked.id, solved.id].toSorted()];
    expect(await idsOf({})).toEqual(all);
    expect(await idsOf({ reader })).toEqual(hers);
    expect(await changedIds('staff')).toEqual(all);
    expect(await changedIds(reader)).toEqual(hers);
    expect(await storage.changes.bounds(reader)).toEqual({ last: 2, forgotten: 0 });
  });
});

describe('a file whose index knows where words are, but no beginnings of them', () => {
  it('has its tickets found by words, beginnings and phrases', async () => {
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
