import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding, purging } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { newDefinition } from '../../helpdesk/definitions/new-definition.fixture.ts';
import { newDefinitionEvent, newEvent, newInternalEvent } from '../../helpdesk/history/new-event.fixture.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import { definitionEventMigration } from './definition-event-migration.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';

it('keeps the events of tickets, takes those of definitions, and still purges those of a ticket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
  const path = join(folder, 'tickets.db');
  const earlier = migrations.slice(0, migrations.indexOf(definitionEventMigration));
  const sqlite = openSqlite({ path, migrations: earlier, applicationId: 0x4b_44_54_4b });
  const tickets = [newTicket(), newTicket()];
  const events = tickets.flatMap(({ id }) => [newEvent(id), newInternalEvent(id)]);
  await sqlite.write(() => {
    for (const ticket of tickets) {
      const { lastInsertRowid: seq } = sqlite
        .prepare(`
          INSERT INTO tickets (id, version, status, priority, created_at, updated_at, document)
          VALUES (?, 1, 'new', 'normal', 1, 1, ?)`)
        .run(ticket.id, JSON.stringify(ticket));
      for (const record of events.filter(({ event }) => event.ticket_id === ticket.id)) {
        sqlite
          .prepare('INSERT INTO events (ticket_seq, id, is_public, document) VALUES (?, ?, ?, ?)')
          .run(seq, record.event.id, Number(record.publicChanges !== undefined), JSON.stringify(record));
      }
    }
  });
  await sqlite.close();

  const storage = await openSqliteStorage({ path });
  const event = newDefinitionEvent('ticket_status', 'in_review', { created_at: '2026-03-02T12:00:00.000Z' });
  await storage.definitions.add(newDefinition(), { event });
  const find = () => storage.events.search({ filter: {}, direction: 'asc', limit: 10 });
  expect(await find()).toEqual([...events, event]);
  const [ticket, other] = tickets;
  const query = { ticketId: ticket?.id ?? '', isPublicOnly: true, direction: 'asc', limit: 10 } as const;
  expect(await storage.events.list(query)).toEqual(events.slice(0, 1));
  await storage.tickets.commit([adding(newTicket()), purging(ticket as Ticket)]);
  expect((await find()).map((record) => record.event.ticket_id)).toEqual([other?.id, other?.id, null]);
  await storage.close();
  await rm(folder, { recursive: true });
});
