import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { changing, toRecord } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import { externalIdMigration } from './external-id-migration.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';

describe('migration of external ids', () => {
  it('keeps tickets with the same one, and enforces uniqueness of new claims', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const earlier = migrations.slice(0, migrations.indexOf(externalIdMigration));
    const sqlite = openSqlite({ path, migrations: earlier, applicationId: 0x4b_44_54_4b });
    const tickets = [1, 2].map(() => newTicket({ external_id: 'CRM-7' }));
    await sqlite.write(() => {
      const insert = sqlite.prepare(`
        INSERT INTO tickets (id, version, status, priority, created_at, updated_at, document)
        VALUES (?, 1, 'new', 'normal', 1, 1, ?)`);
      for (const ticket of tickets) insert.run(ticket.id, JSON.stringify(ticket));
    });
    await sqlite.close();
    const storage = await openSqliteStorage({ path });
    for (const ticket of tickets) {
      expect((await storage.tickets.find(ticket.id))?.ticket).toStrictEqual(ticket);
    }
    const claim = (ticket: Ticket) =>
      storage.tickets.commit([
        changing(changed(ticket), { record: { ...toRecord(changed(ticket)), externalIdClient: 'import' } }),
      ]);
    const [one, another] = tickets as [Ticket, Ticket];
    expect([await claim(one), await claim(another)]).toEqual([
      { outcome: 'committed' },
      { outcome: 'stale' },
    ]);
    expect((await storage.tickets.findByExternalId('import', 'CRM-7'))?.ticket.id).toBe(one.id);
    await storage.close();
    await rm(folder, { recursive: true });
  });
});
