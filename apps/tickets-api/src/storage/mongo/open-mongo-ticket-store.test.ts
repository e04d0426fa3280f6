import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTicket } from '../../tickets/new-ticket.fixture.ts';
import type { TicketFilter, TicketStore } from '../../tickets/ticket-store.ts';
import { createMongoDatabase, type TestDatabase } from '../test-database.fixture.ts';

describeWith('mongodb', 'tickets in MongoDB', (url) => {
  const ticket = newTicket({ tags: ['printer'], custom_fields: { floor: 3 } });
  const sort = { field: 'created_at', direction: 'asc' } as const;
  let database: TestDatabase;
  let store: TicketStore;

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    store = await database.open();
    await store.insert(ticket);
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('are not found, replaced or removed by an operator in place of an id', async () => {
    const id = { $ne: '' } as unknown as string;
    await expect(store.find(id)).rejects.toMatchObject({ name: 'CastError' });
    await expect(store.replace({ ...ticket, id }, 1)).rejects.toMatchObject({ name: 'CastError' });
    await expect(store.remove(id)).rejects.toMatchObject({ name: 'CastError' });
    expect(await store.find(ticket.id)).toStrictEqual(ticket);
  });

  it.each(['status', 'requester', 'tag'])('are not listed by an operator in place of a %s', async (name) => {
    const filter = { [name]: { $ne: '' } } as TicketFilter;
    await expect(store.list({ filter, sort, limit: 10 })).rejects.toMatchObject({ name: 'CastError' });
  });

  it('refuse a field that the schema does not know', async () => {
    const unknown = { ...newTicket(), colour: 'red' };
    await expect(store.insert(unknown)).rejects.toMatchObject({ name: 'StrictModeError' });
  });

  it('keep the names of custom fields as values, never as names of fields', async () => {
    const connection = await openMongo({ url, database: database.storageUrl.split(/[/?]/)[3] ?? '' });
    const document = await connection.collection('tickets').findOne({ version: 1 });
    expect(document?.custom_fields).toEqual([{ key: 'floor', value: 3 }]);
    await connection.close();
  });
});
