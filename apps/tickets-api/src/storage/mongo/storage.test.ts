import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding, changing, purging } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import type { TicketFilter } from '../../helpdesk/list/ticket-filter.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import { createMongoDatabase, type TestDatabase } from '../test-database.fixture.ts';

describeWith('mongodb', 'tickets in MongoDB', (url) => {
  const ticket = newTicket({ tags: ['printer'], custom_fields: { floor: 3 } });
  const sort = { field: 'created_at', direction: 'asc' } as const;
  let database: TestDatabase;
  let storage: Storage;

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    storage = await database.open();
    await storage.tickets.commit([adding(ticket)]);
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  it('are not found, replaced or purged by an operator in place of an id', async () => {
    const id = { $ne: '' } as unknown as string;
    const { tickets } = storage;
    const castError = { name: 'CastError' };
    await expect(tickets.find(id)).rejects.toMatchObject(castError);
    await expect(tickets.commit([changing({ ...ticket, id, version: 2 })])).rejects.toMatchObject(castError);
    await expect(tickets.commit([purging({ ...ticket, id })])).rejects.toMatchObject(castError);
    expect((await tickets.find(ticket.id))?.ticket).toStrictEqual(ticket);
  });

  it.each(['status', 'requester', 'tag'])('are not listed by an operator in place of a %s', async (name) => {
    const filter = { [name]: { any: [{ $ne: '' }] } } as unknown as TicketFilter;
    await expect(storage.tickets.list({ filter, sort, limit: 10 })).rejects.toMatchObject({
      name: 'CastError',
    });
  });

  it('reject an unknown field', async () => {
    const unknown = { ...newTicket(), colour: 'red' };
    await expect(storage.tickets.commit([adding(unknown)])).rejects.toMatchObject({
      name: 'StrictModeError',
    });
  });

  it('store keys of custom fields as values, never as field names', async () => {
    const connection = await openMongo({ url, database: database.storageUrl.split(/[/?]/)[3] ?? '' });
    const document = await connection.collection('tickets').findOne({ version: 1 });
    expect(document?.custom_fields).toEqual([{ key: 'floor', value: 3 }]);
    await connection.close();
  });
});
