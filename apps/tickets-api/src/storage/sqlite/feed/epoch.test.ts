import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backUpSqlite } from '@keydesk/storage/sqlite-backup';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../../../tests/api.fixture.ts';
import { openSqliteStorage } from '../storage.ts';
import { removeEpoch } from './epoch.ts';

describe('the epoch of a SQLite file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-epoch-'));
    path = join(folder, 'tickets.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Returns epoch and feed bounds of the file, as the next process reads them. */
  async function open() {
    const storage = await openSqliteStorage({ path });
    const found = { epoch: await storage.changes.epoch(), ...(await storage.changes.bounds('staff')) };
    await storage.close();
    return found;
  }

  /** Replaces the file by a copy, as an operator does. */
  async function restore(copy: string, { inPlace = false } = {}) {
    if (!inPlace) await rm(path);
    await copyFile(copy, path);
  }

  it('stays the same across processes and backups', async () => {
    const first = await open();
    await backUpSqlite(path, join(folder, 'backup.db'), removeEpoch);
    expect(await open()).toEqual(first);
  });

  it('changes each time a backup is restored, even in place', async () => {
    const backup = join(folder, 'backup.db');
    const epochs = [(await open()).epoch];
    await backUpSqlite(path, backup, removeEpoch);
    for (const inPlace of [false, true, true]) {
      await restore(backup, { inPlace });
      epochs.push((await open()).epoch);
      expect((await open()).epoch).toBe(epochs.at(-1));
    }
    expect(new Set(epochs).size).toBe(4);
  });

  it('changes when the file is replaced by a plain copy', async () => {
    const { epoch } = await open();
    const copy = join(folder, 'copy.db');
    await copyFile(path, copy);
    // Keeps the inode in use, so that the copy gets another one.
    const held = new DatabaseSync(path);
    await rm(path);
    await copyFile(copy, path);
    held.close();
    expect((await open()).epoch).not.toBe(epoch);
  });

  it('distinguishes versions from before and after a restoration', async () => {
    const [backup, storageUrl] = [join(folder, 'backup.db'), `sqlite:${path}`];
    const before = await startApi({ storageUrl });
    const { id } = await before.addTicket({ subject: 'Backed up' });
    await backUpSqlite(path, backup, removeEpoch);
    await before.request('PUT', `/ticket/${id}.json`, { subject: 'Lost' });
    const lost = await before.request('GET', `/ticket/${id}.json`);
    const { position } = (await before.request('GET', '/changes.json')).json;
    await before.stop();
    for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true });
    await restore(backup, { inPlace: true });

    const after = await startApi({ storageUrl });
    const etag = lost.headers.get('ETag') ?? '';
    await after.request('PUT', `/ticket/${id}.json`, { subject: 'Written anew' });
    const read = await after.request('GET', `/ticket/${id}.json`, undefined, { 'If-None-Match': etag });
    expect([read.status, read.json]).toMatchObject([200, { version: 2, subject: 'Written anew' }]);
    const edit = await after.request('PUT', `/ticket/${id}.json`, { subject: 'Blind' }, { 'If-Match': etag });
    expect(edit.status).toBe(412);
    const followed = await after.request('GET', `/changes.json?since=${position}`);
    expect([followed.status, followed.json.code]).toEqual([410, 'position_expired']);
    await after.stop();
  });
});
