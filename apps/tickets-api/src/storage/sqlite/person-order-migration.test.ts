import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { newReference } from '../../api/tickets/new-ticket.fixture.ts';
import { firstPersonRecord } from '../../helpdesk/people/person-record.ts';
import { migrations } from './migrations.ts';
import { openSqliteStorage } from './open-sqlite-storage.ts';
import { personOrderMigration } from './person-order-migration.ts';

describe('people that an earlier version stored in a file', () => {
  it('are listed in order of name, also within a role', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-migrations-'));
    const path = join(folder, 'tickets.db');
    const earlier = migrations.slice(0, migrations.indexOf(personOrderMigration));
    const sqlite = openSqlite({ path, migrations: earlier, applicationId: 0x4b_44_54_4b });
    await sqlite.write(() => {
      const insert = sqlite.prepare(
        'INSERT INTO people (id, place, role, version, document) VALUES (?, ?, ?, 1, ?)',
      );
      for (const name of ['bob', null, 'Carl', 'Ada']) {
        const role = name === 'bob' ? null : 'agent';
        const record = firstPersonRecord({ ...newReference({ name }), role }, new Date(0));
        insert.run(record.person.id, record.person.email, role, JSON.stringify(record));
      }
    });
    await sqlite.close();

    const storage = await openSqliteStorage({ path });
    const sort = { field: 'name', direction: 'asc' } as const;
    const all = await storage.people.list({ sort, limit: 10 });
    expect(all.map(({ person }) => person.name)).toEqual(['Ada', 'bob', 'Carl', null]);
    const agents = await storage.people.list({ sort, roles: ['agent'], limit: 10 });
    expect(agents.map(({ person }) => person.name)).toEqual(['Ada', 'Carl', null]);
    await storage.close();
    await rm(folder, { recursive: true });
  });
});
