import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { toRecord } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { firstPersonRecord } from '../../helpdesk/people/person-record.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';
import { staffMigration } from './staff-migration.ts';

describe('migration of staff addresses', () => {
  it('keeps tickets and people, and marks the masking of staff as pending', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const earlier = migrations.slice(0, migrations.indexOf(staffMigration));
    const sqlite = openSqlite({ path, migrations: earlier, applicationId: 0x4b_44_54_4b });
    const ticket = newTicket({ cc: [newReference()] });
    const roles = ['agent', 'admin', 'customer', null] as const;
    const records = roles.map((role) => {
      const { hasBeenStaff: _, ...record } = firstPersonRecord({ ...newReference(), role }, new Date(0));
      return record;
    });
    await sqlite.write(() => {
      sqlite
        .prepare(`
          INSERT INTO tickets (id, version, status, priority, created_at, updated_at, document)
          VALUES (?, 1, 'new', 'normal', ?, ?, ?)`)
        .run(ticket.id, Date.parse(ticket.created_at), Date.parse(ticket.updated_at), JSON.stringify(ticket));
      sqlite.prepare('UPDATE tickets SET public_version = 1, public_updated_at = updated_at').run();
      const insert = sqlite.prepare(
        'INSERT INTO people (id, place, role, version, document) VALUES (?, ?, ?, ?, ?)',
      );
      for (const record of records) {
        const { id, email, role, version } = record.person;
        insert.run(id, email, role, version, JSON.stringify(record));
      }
    });
    await sqlite.close();

    const storage = await openSqliteStorage({ path });
    expect(await storage.tickets.find(ticket.id)).toStrictEqual(toRecord(ticket));
    const [agent, admin, ...others] = records;
    const staff = [agent, admin].map((record) => ({ ...record, hasBeenStaff: true, maskingSince: 0 }));
    expect(new Set(await storage.people.listPendingMaskings(10))).toEqual(new Set(staff));
    for (const record of others) expect(await storage.people.find(record.person.id)).toStrictEqual(record);
    await storage.close();
    await rm(folder, { recursive: true });
  });
});
