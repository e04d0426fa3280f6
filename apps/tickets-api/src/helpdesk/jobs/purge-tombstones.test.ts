import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { createTombstonePurge } from './purge-tombstones.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.stop());

/** Creates the task of one process, whose clock is ahead. */
function createJob(daysAhead: number, retentionDays = 90) {
  const now = () => new Date(Date.now() + daysAhead * DAY_MS);
  return createTombstonePurge({
    changes: api.storage.changes,
    now,
    log: pino({ level: 'silent' }),
    retentionDays,
  });
}

async function deleteTickets(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { id } = await api.addTicket();
    await api.request('DELETE', `/ticket/${id}.json`);
  }
}

const listChanges = async () => (await api.request('GET', '/changes.json?limit=100')).json.changes;

test('the feed keeps tombstones for the retention period and then purges them', async () => {
  const { id } = await api.addTicket();
  await deleteTickets(2);
  await createJob(89)();
  expect(await listChanges()).toMatchObject([{ id }, { deleted: true }, { deleted: true }]);
  await createJob(91)();
  expect(await listChanges()).toMatchObject([{ id, deleted: false }]);
});

test('concurrent purges by several processes leave existing tickets in the feed', async () => {
  await deleteTickets(20);
  const { id } = await api.addTicket();
  await Promise.all([createJob(91), createJob(91), createJob(91)].map((purge) => purge()));
  expect(await listChanges()).toMatchObject([{ id, deleted: false }]);
});

test('0 days keeps tombstones forever', async () => {
  await deleteTickets(1);
  await createJob(10_000, 0)();
  expect(await listChanges()).toMatchObject([{ deleted: true }]);
});
