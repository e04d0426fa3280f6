import { expect, it } from 'vitest';
import { newFolder } from '../../apps/auth/src/tests/processes.fixture.ts';
import { createSqliteDatabase } from '../../apps/tickets-api/src/storage/test-database.fixture.ts';
import { runApiKillAudit } from './api/run-api-kill-audit.ts';
import { runAuthKillAudit } from './auth/run-auth-kill-audit.ts';

const KILLS = 5;

// `npm run kill-audit` runs the full audits of the API, and with `-- --app auth` of the authorization server. These
// tests omit MongoDB: its stand-in stops responding when a client dies in a transaction while its database is dropped.
it('an API killed during writes loses no acknowledged write and leaves no partial one', async () => {
  const { storageUrl, drop } = await createSqliteDatabase();
  const { acknowledged, faults } = await runApiKillAudit({ storageUrl, kills: KILLS, connections: 4 });
  await drop();
  expect(faults).toEqual([]);
  expect(acknowledged.tickets).toBeGreaterThan(KILLS);
  expect(acknowledged.replies).toBeGreaterThan(KILLS);
});

it('an authorization server killed during requests loses no acknowledged write and accepts no code or token twice', async () => {
  const folder = newFolder();
  const storageUrl = `sqlite:${folder}/auth.db`;
  const { acknowledged, faults } = await runAuthKillAudit({ storageUrl, folder, kills: 3, connections: 4 });
  expect(faults).toEqual([]);
  expect(acknowledged.refreshes).toBeGreaterThan(3);
  expect(acknowledged['removed clients']).toBeGreaterThan(0);
});
