import { expect, it } from 'vitest';
import { createSqliteDatabase } from '../apps/tickets-api/src/storage/test-database.fixture.ts';
import { runKillAudit } from './kill-audit/run-kill-audit.ts';

const KILLS = 5;

// `npm run kill-audit` runs the full audits, of 100 kills on SQLite and 20 on MongoDB. Here is none on MongoDB: what stands
// in for it stops answering everybody when a client dies in a transaction while its database is dropped.
it('an API that is killed while it writes loses nothing that was acknowledged, and leaves nothing in part', {
  timeout: 120_000,
}, async () => {
  const { storageUrl, drop } = await createSqliteDatabase();
  const { acknowledged, faults } = await runKillAudit({ storageUrl, kills: KILLS, connections: 4 });
  await drop();
  expect(faults).toEqual([]);
  expect(acknowledged.tickets).toBeGreaterThan(KILLS);
  expect(acknowledged.replies).toBeGreaterThan(KILLS);
});
