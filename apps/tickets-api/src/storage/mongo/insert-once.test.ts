import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRequest } from '../../idempotency.fixture.ts';
import { newTicket } from '../../tickets/new-ticket.fixture.ts';
import type { TicketStore } from '../../tickets/ticket-store.ts';
import { createMongoDatabase, type TestDatabase } from '../test-database.fixture.ts';

describeWith('mongodb', 'request records in MongoDB', (url) => {
  let database: TestDatabase;
  let store: TicketStore;
  let connection: Awaited<ReturnType<typeof openMongo>>;

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    store = await database.open();
    connection = await openMongo({ url, database: database.storageUrl.split(/[/?]/)[3] ?? '' });
  });
  afterAll(async () => {
    await Promise.all([store.close(), connection.close()]);
    await database.drop();
  });

  it('refuse a request as a conflict while one with the same key stays in flight', async () => {
    const request = newRequest();
    const records = connection.collection<{ _id: string }>('request_records');
    const session = await connection.startSession();
    session.startTransaction();
    await records.insertOne({ _id: request.key }, { session });
    await expect(store.insert(newTicket(), request)).rejects.toMatchObject({ code: 'conflict' });
    await session.abortTransaction();
    await session.endSession();
    expect(await store.insert(newTicket(), request)).toMatchObject({ outcome: 'inserted' });
  });

  it('are removed by MongoDB once they have expired', async () => {
    const indexes = await connection.collection('request_records').indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
    );
  });
});
