import { describeWith } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../apps/tickets-api/src/storage/test-database.fixture.ts';
import { runKillAudit } from './kill-audit/run-kill-audit.ts';

/** The full audits, of 100 and 20 kills, run by `npm run kill-audit`. */
function killAudit(createDatabase: () => Promise<TestDatabase>, kills: number): void {
  it('loses nothing that was acknowledged, and leaves nothing in part', { timeout: 120_000 }, async () => {
    const { storageUrl, drop } = await createDatabase();
    const { acknowledged, faults } = await runKillAudit({ storageUrl, kills, connections: 4 });
    await drop();
    expect(faults).toEqual([]);
    expect(acknowledged.tickets).toBeGreaterThan(kills);
    expect(acknowledged.replies).toBeGreaterThan(kills);
  });
}

describe('an API that is killed while it writes, on SQLite', () => killAudit(createSqliteDatabase, 5));

describeWith('mongodb', 'an API that is killed while it writes, on MongoDB', (url) =>
  killAudit(() => createMongoDatabase(url), 1),
);
