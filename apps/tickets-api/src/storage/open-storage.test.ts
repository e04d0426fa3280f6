import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { newTicket } from '../api/tickets/new-ticket.fixture.ts';
import { adding } from '../helpdesk/commit/ticket-commit.fixture.ts';
import { openStorage } from './open-storage.ts';
import { createMongoDatabase, withDatabase } from './test-database.fixture.ts';

describe('the storage URL', () => {
  it('can be a SQLite file, whose folder is created', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-open-'));
    const storage = await openStorage(`sqlite:${join(folder, 'data', 'tickets.db')}`);
    await storage.close();
    expect((await stat(join(folder, 'data', 'tickets.db'))).isFile()).toBe(true);
    await rm(folder, { recursive: true });
  });

  it('is refused with advice when its file predates 0.9', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keydesk-open-'));
    const path = join(folder, 'tickets.db');
    const earlier = new DatabaseSync(path);
    earlier.exec(
      'CREATE TABLE tickets (id TEXT); PRAGMA application_id = 0x4b44544b; PRAGMA user_version = 24',
    );
    earlier.close();
    await expect(openStorage(`sqlite:${path}`)).rejects.toThrow(
      `The database ${path} cannot be used: it was written by a Keydesk before 0.9 (schema 24); move the file away`,
    );
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

  it('is refused with advice when its database predates 0.9', async () => {
    const database = await createMongoDatabase(url);
    const connection = await openMongo({ url, database: new URL(database.storageUrl).pathname.slice(1) });
    await connection.collection('tickets').insertOne({ subject: 'The printer is on fire' });
    await connection.close();
    await expect(database.open()).rejects.toThrow(
      /^MongoDB cannot be used: the database \S+ was written by a Keydesk before 0\.9; name another database in/,
    );
    await database.drop();
  });
});
