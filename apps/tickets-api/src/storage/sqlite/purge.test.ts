import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding, purging } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { newFeedEntry } from '../../helpdesk/feed/new-feed-entry.fixture.ts';
import { newEvent } from '../../helpdesk/history/new-event.fixture.ts';
import { newReply } from '../../helpdesk/replies/new-reply.fixture.ts';
import { newRequest } from '../../tests/idempotency.fixture.ts';
import { openSqliteStorage } from './storage.ts';

it('a purge leaves only retired ids and the tombstones of readers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-purge-'));
  const path = join(folder, 'tickets.db');
  const storage = await openSqliteStorage({ path });
  const requester = newReference();
  const ticket = newTicket({ requester, tags: ['a', 'b'], cc: [newReference()] });
  const reply = newReply(ticket.id);
  const feedEntries = ['staff', requester.id].flatMap((reader) => [
    newFeedEntry(ticket.id, { reader }),
    newFeedEntry(ticket.id, { reader, resource: 'reply', id: reply.id }),
  ]);
  const written = { writtenReplies: [reply], events: [newEvent(ticket.id)], feedEntries };
  const request = { records: [newRequest()], answer: ticket, ticketId: ticket.id };
  await storage.tickets.commit([adding(ticket, written)], request);
  const tombstones = feedEntries.map((entry) => ({ ...entry, isDeleted: true }));
  const counts = countRows(path);
  const { retired_ids: retired, ...others } = counts;
  expect([retired, Object.values(others).every((rows) => Number(rows) > 0)]).toEqual([0, true]);

  await storage.tickets.commit([purging(ticket, { feedEntries: tombstones })]);
  expect(countRows(path)).toEqual({
    ...Object.fromEntries(Object.keys(counts).map((table) => [table, 0])),
    changes: 4,
    change_feeds: 2,
    database_epoch: 1,
    retired_ids: 2,
    schema_compatibility: 1,
  });
  await storage.close();
  await rm(folder, { recursive: true });
});

/** Tables that hold nothing of a ticket. */
const unrelated = ['people', 'person_keys', 'person_terms', 'ticket_fields', 'definitions', 'roles'];

/** Counts the rows of each table of tickets, without the internal tables of FTS5. */
function countRows(path: string): Record<string, unknown> {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
        AND name NOT GLOB 'ticket_words_*'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !unrelated.includes(name));
  const counts = tables.map((table) => [
    table,
    db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows,
  ]);
  db.close();
  return Object.fromEntries(counts);
}
