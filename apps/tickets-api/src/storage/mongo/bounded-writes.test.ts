import { openMongo } from '@keydesk/storage/mongo';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { describeWith } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding, changing, purging } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { newField } from '../../helpdesk/fields/new-field.fixture.ts';
import { firstPersonRecord, nextPersonRecord } from '../../helpdesk/people/person-record.ts';
import { createMongoDatabase, type TestDatabase } from '../test-database.fixture.ts';
import { createFieldStore } from './catalogues/fields.ts';
import { createChangeStore } from './feed/changes.ts';
import { createErasureStore } from './people/erasure.ts';
import { createPersonStore } from './people/people.ts';
import { createModels, listCollections } from './schema.ts';
import { createTicketStore } from './tickets/tickets.ts';

describeWith('mongodb', 'updates and deletions in MongoDB', (url) => {
  let database: TestDatabase;
  let connection: Connection;
  const unlimited: string[] = [];

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    const monitored = new URL(database.storageUrl);
    monitored.searchParams.set('monitorCommands', 'true');
    connection = await openMongo({ url: monitored.href, database: monitored.pathname.slice(1) });
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      const isWrite = ['update', 'delete', 'findAndModify'].includes(commandName);
      // In a transaction a write does not wait for another: it fails, and the transaction is retried.
      const isAlone = command.autocommit === undefined;
      if (isWrite && isAlone && command.maxTimeMS === undefined) unlimited.push(JSON.stringify(command));
    });
  });
  afterAll(async () => {
    await connection.close();
    await database.drop();
  });

  it('have a time limit when another transaction blocks them', async () => {
    const models = createModels(connection);
    await createCollections(connection, listCollections(models));
    const now = () => new Date();
    const tickets = createTicketStore(models, { now });
    const [people, fields] = [createPersonStore(models), createFieldStore(models)];
    const [changes, erasure] = [createChangeStore(models), createErasureStore(models)];

    const ticket = newTicket({ tags: ['printer'] });
    const seen = { reader: 'staff', resource: 'ticket', id: ticket.id, ticketId: ticket.id } as const;
    await tickets.commit([adding(ticket, { feedEntries: [{ ...seen, isDeleted: false }] })]);
    const next = { ...ticket, tags: [], version: ticket.version + 1 };
    await tickets.commit([changing(next)]);
    await tickets.commit([purging(next, { feedEntries: [{ ...seen, isDeleted: true }] })]);
    await changes.purgeTombstones(new Date(Date.now() + 60_000), 10);
    await changes.restart();

    const field = newField();
    await fields.add(field);
    await fields.replace({ ...field, version: field.version + 1 }, field.version);
    await fields.remove(field.id, field.version + 1);
    const email = 'ann@example.org';
    const ann = firstPersonRecord({ id: ticket.id, email, name: null }, now());
    await people.write([{ record: ann }]);
    const named = nextPersonRecord(ann, { name: 'Ann' }, now());
    await people.write([{ expectedVersion: 1, record: named }]);
    const other = firstPersonRecord({ id: newField().id, email, name: null }, now());
    const without = nextPersonRecord(named, { addresses: [] }, now());
    await people.write([{ record: other }, { expectedVersion: 2, record: without }]);
    await erasure.removeRemains(email);
    expect(unlimited).toEqual([]);
  });
});
