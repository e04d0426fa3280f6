import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { newTicket } from '../api/tickets/new-ticket.fixture.ts';
import { adding } from '../helpdesk/commit/ticket-commit.fixture.ts';
import { openStorage } from './open-storage.ts';
import { withDatabase } from './test-database.fixture.ts';

describe('the storage URL', () => {
  it('can be a SQLite file, whose folder is created', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-open-'));
    const storage = await openStorage(`sqlite:${join(folder, 'data', 'tickets.db')}`);
    await storage.close();
    expect((await stat(join(folder, 'data', 'tickets.db'))).isFile()).toBe(true);
    await rm(folder, { recursive: true });
  });

  it.each([
    '',
    'sqlite',
    'sqlite:',
    'mongodb:',
    'postgres://user:s3cret@127.0.0.1/tickets',
    './data/tickets.db',
  ])('is rejected in one line without repeating it: %j', async (storageUrl) => {
    await expect(openStorage(storageUrl)).rejects.toThrow(
      /^The storage URL must be sqlite:PATH, mongodb:\/\/… or mongodb\+srv:\/\/…\.$/,
    );
  });
});

describeWith('mongodb', 'a MongoDB storage URL', (url) => {
  it.each([
    [withDatabase(url, ''), { database: 'keydesk-by-option' }, 'keydesk-by-option'],
    [withDatabase(url, 'keydesk-by-url'), { database: 'unused' }, 'keydesk-by-url'],
  ])('selects the database, or else the option does', async (storageUrl, options, database) => {
    const storage = await openStorage(storageUrl, options);
    const ticket = newTicket();
    await storage.tickets.commit([adding(ticket)]);
    const connection = await openMongo({ url, database });
    expect(await connection.collection('tickets').countDocuments({ subject: ticket.subject })).toBe(1);
    await connection.dropDatabase();
    await Promise.all([connection.close(), storage.close()]);
  });
});
