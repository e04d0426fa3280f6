import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { definitionMigration } from './definition-migration.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';

const solvedAt = '2026-03-02T12:00:00.000Z';

describe('migration of ticket statuses', () => {
  it('adds status categories and keeps closing solved tickets', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const earlier = migrations.slice(0, migrations.indexOf(definitionMigration));
    const sqlite = openSqlite({ path, migrations: earlier, applicationId: 0x4b_44_54_4b });
    const tickets = [newTicket({ status: 'hold' }), newTicket({ status: 'solved', solved_at: solvedAt })];
    const insert = sqlite.prepare(`
      INSERT INTO tickets (id, version, status, priority, created_at, updated_at, solved_at, document)
      VALUES (?, 1, ?, 'normal', 1, 1, ?, ?)`);
    await sqlite.write(() => {
      for (const { status_category: _, ...ticket } of tickets) {
        const at = ticket.solved_at && Date.parse(ticket.solved_at);
        insert.run(ticket.id, ticket.status, at, JSON.stringify(ticket));
      }
    });
    await sqlite.close();

    const storage = await openSqliteStorage({ path });
    const [hold, solved] = tickets;
    expect((await storage.tickets.find(hold?.id ?? ''))?.ticket).toStrictEqual(hold);
    const due = await storage.tickets.listDue('solved', new Date('2026-04-01T00:00:00.000Z'), 10);
    expect(due.map(({ ticket }) => ticket)).toStrictEqual([solved]);
    expect(await storage.definitions.list()).toEqual([]);
    await storage.close();
    await rm(folder, { recursive: true });
  });
});
