import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@keydesk/storage/sqlite';
import { expect, it } from 'vitest';
import { newRequest } from '../../../tests/idempotency.fixture.ts';
import { schema } from '../schema.ts';
import { createCommitOnce } from './commit-once.ts';

it('each new request record purges up to ten expired ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-records-'));
  const sqlite = openSqlite({ path: join(folder, 'tickets.db'), ...schema });
  const commitOnce = createCommitOnce(sqlite);
  const count = sqlite.prepare('SELECT count(*) AS records FROM request_records');
  const at = Date.now();
  const add = (expiresAt: number, now = at) => {
    const request = { records: [newRequest({ at: now, expiresAt })], answer: {}, ticketId: null };
    return commitOnce(request, () => undefined);
  };

  for (let i = 0; i < 25; i++) await add(at + 1);
  await add(at + 1_000);
  const counts: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    await add(at + 1_000, at + 1);
    counts.push(count.get()?.records);
  }
  expect(counts).toEqual([17, 8, 4, 5]);
  await sqlite.close();
  await rm(folder, { recursive: true });
});
