import { expect, it } from 'vitest';
import { newFolder } from '../apps/auth/src/processes.fixture.ts';
import { createSqliteDatabase } from '../apps/tickets-api/src/storage/test-database.fixture.ts';
import { runApiKillAudit } from './kill-audit/api/run-api-kill-audit.ts';
import { runAuthKillAudit } from './kill-audit/auth/run-auth-kill-audit.ts';

const KILLS = 5;

// `npm run kill-audit` and `npm run kill-audit -- --app auth` run the full audits, of 100 kills on SQLite and 20 on MongoDB. Here is none on MongoDB: what stands
// in for it stops answering everybody when a client dies in a transaction while its database is dropped.
it('an API that is killed while it writes loses nothing that was acknowledged, and leaves nothing in part', async () => {
  const { storageUrl, drop } = await createSqliteDatabase();
  const { acknowledged, faults } = await runApiKillAudit({ storageUrl, kills: KILLS, connections: 4 });
  await drop();
  expect(faults).toEqual([]);
  expect(acknowledged.tickets).toBeGreaterThan(KILLS);
  expect(acknowledged.replies).toBeGreaterThan(KILLS);
});

it('an authorization server that is killed at work loses nothing that was acknowledged, and lets nothing be used twice', async () => {
  const folder = newFolder();
  const storageUrl = `sqlite:${folder}/auth.db`;
  const { acknowledged, faults } = await runAuthKillAudit({ storageUrl, folder, kills: 3, connections: 4 });
  expect(faults).toEqual([]);
  expect(acknowledged.refreshes).toBeGreaterThan(3);
  expect(acknowledged['removed clients']).toBeGreaterThan(0);
});
