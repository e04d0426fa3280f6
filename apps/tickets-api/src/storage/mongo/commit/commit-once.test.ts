import { boundedCommit, openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTicket } from '../../../api/tickets/new-ticket.fixture.ts';
import { adding } from '../../../helpdesk/commit/ticket-commit.fixture.ts';
import type { Storage } from '../../../helpdesk/storage.ts';
import { newRequest } from '../../../tests/idempotency.fixture.ts';
import { createMongoDatabase, type TestDatabase } from '../../test-database.fixture.ts';
import { createModels } from '../schema.ts';
import { createCommitOnce } from './commit-once.ts';

describeWith('mongodb', 'request records in MongoDB', (url) => {
  let database: TestDatabase;
  let storage: Storage;
  let connection: Awaited<ReturnType<typeof openMongo>>;

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    storage = await database.open();
    connection = await openMongo({ url, database: database.storageUrl.split(/[/?]/)[3] ?? '' });
  });
  afterAll(async () => {
    await Promise.all([storage.close(), connection.close()]);
    await database.drop();
  });

  it('reject a request as a conflict while one with the same key is in flight', async () => {
    const record = newRequest();
    const request = { records: [record], answer: null, ticketId: null };
    const commit = () => storage.tickets.commit([adding(newTicket())], request);
    const records = connection.collection<{ _id: string }>('request_records');
    const session = await connection.startSession();
    session.startTransaction();
    await records.insertOne({ _id: record.key }, { session });
    await expect(commit()).rejects.toMatchObject({ code: 'conflict' });
    await session.abortTransaction();
    await session.endSession();
    expect(await commit()).toEqual({ outcome: 'committed' });
  });

  it('fail within seconds when no majority acknowledges them', async () => {
    const monitored = new URL(url);
    monitored.searchParams.set('monitorCommands', 'true');
    const database = connection.name;
    const watched = await openMongo({ url: monitored.href, database });
    const limits: unknown[] = [];
    watched.getClient().on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'commitTransaction') limits.push(command.maxTimeMS);
    });
    const { records } = createModels(watched);
    await createCommitOnce(records)(undefined, async (session) => {
      await records.deleteOne({ _id: 'none' }, { session });
      return true;
    });
    expect(limits).toEqual([boundedCommit.maxCommitTimeMS]);
    await watched.close();
  });

  it('are removed by MongoDB after they expire', async () => {
    const indexes = await connection.collection('request_records').indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
    );
  });
});
