import { randomUUID } from 'node:crypto';
import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { toRecord } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { firstPersonRecord } from '../../helpdesk/people/person-record.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import { createMongoDatabase, type TestDatabase } from '../test-database.fixture.ts';

const MORE_THAN_A_BATCH = 150;
const at = '2026-03-01T12:00:00.000Z';

describeWith('mongodb', 'migration of tickets of an earlier version in MongoDB', (url) => {
  const ada = { email: 'ada@example.com', name: 'Ada' };
  const bob = { email: 'bob@example.com', name: null };
  const requested = toEarlierDocument({ requester: ada, assignee: bob, version: 3 });
  const solved = toEarlierDocument({ status: 'solved', requester: { ...ada, name: null } });
  const carl = toEarlierPerson('carl@example.com', 'Carl');
  const strangers = Array.from({ length: MORE_THAN_A_BATCH }, (_, i) =>
    toEarlierPerson(`${i}@example.com`, null),
  );
  const more = Array.from({ length: MORE_THAN_A_BATCH }, () => toEarlierDocument({}));
  let database: TestDatabase;
  let connection: Connection;
  let storage: Storage;
  let other: Storage;

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    connection = await openMongo({ url, database: database.storageUrl.split(/[/?]/)[3] ?? '' });
    const tickets = connection.collection<{ _id: string }>('tickets');
    await tickets.createIndex({ status: 1, created_at: 1, _id: 1 }, { name: 'status_created_at' });
    const byRequester = { is_deleted: 1, 'requester.email': 1, created_at: 1, _id: 1 } as const;
    await tickets.createIndex(byRequester, { name: 'list_by_requester_created_at' });
    await tickets.insertMany([requested, solved, ...more]);
    const people = connection.collection<{ _id: string }>('people');
    await people.createIndex({ email: 1 }, { name: 'email', unique: true });
    await people.createIndex({ starts: 1, email: 1 }, { name: 'starts' });
    await people.insertMany([carl, ...strangers]);
    const records = connection.collection<{ _id: string }>('request_records');
    await records.insertOne(earlierRecord());
    [storage, other] = await Promise.all([database.open(), database.open()]);
  });
  afterAll(async () => {
    await Promise.all([storage.close(), other.close(), connection.close()]);
    await database.drop();
  });

  it('keeps tickets and converts named people', async () => {
    const requester = { ...ada, id: (await storage.people.findByEmail(ada.email))?.person.id ?? '' };
    const assignee = { ...bob, id: (await storage.people.findByEmail(bob.email))?.person.id ?? '' };
    const fields = { requester, assignee, waiting_since: at, version: 3 };
    const ticket = newTicket({ id: requested._id, ...fields }, at);
    expect(await storage.tickets.find(requested._id)).toStrictEqual(toRecord(ticket));
    expect((await storage.people.find(requester.id))?.person.name).toBe('Ada');
  });

  it('keeps people, without identities', async () => {
    const { _id, email, name, created_at } = carl;
    const expected = firstPersonRecord({ id: _id, email, name }, created_at);
    expect(await storage.people.find(_id)).toStrictEqual(expected);
    expect(await other.people.findByEmail(email)).toStrictEqual(expected);
    expect(await storage.people.list({ prefix: 'carl', limit: 10 })).toStrictEqual([expected]);
    expect(await storage.people.list({ limit: 1000 })).toHaveLength(3 + MORE_THAN_A_BATCH);
  });

  it('finds tickets by ids of people', async () => {
    const requester = (await storage.people.findByEmail(ada.email))?.person.id ?? '';
    const sort = { field: 'created_at', direction: 'asc' } as const;
    const query = { filter: { requester: { any: [requester] } }, sort, limit: 10 };
    expect(idsOf(await storage.tickets.list(query))).toEqual([requested._id, solved._id].sort());
  });

  it('finds tickets by their words', async () => {
    const search = [{ words: ['printer', 'is'], isPrefix: false }];
    const sort = { field: 'created_at', direction: 'desc' } as const;
    const query = { search, filter: {}, sort, limit: 1000 };
    expect(await storage.tickets.list(query)).toHaveLength(2 + MORE_THAN_A_BATCH);
  });

  it('uses the time of the last change as the time of solving', async () => {
    const due = await storage.tickets.listDue('solved', new Date(), 10);
    expect(due.map(({ ticket }) => ticket.id)).toEqual([solved._id]);
  });

  it('adds tickets once to lists and feeds of their readers', async () => {
    const sort = { field: 'updated_at', direction: 'asc' } as const;
    const limit = 1000;
    const everything = [requested._id, solved._id, ...more.map(({ _id }) => _id)].sort();
    expect(idsOf(await storage.tickets.list({ filter: {}, sort, limit }))).toEqual(everything);
    expect(feedOf(await storage.changes.list({ reader: 'staff', after: 0, limit }))).toEqual(everything);
    const reader = (await storage.people.findByEmail(ada.email))?.person.id ?? '';
    const hers = [requested._id, solved._id].sort();
    expect(idsOf(await storage.tickets.list({ reader, filter: {}, sort, limit }))).toEqual(hers);
    expect(feedOf(await storage.changes.list({ reader, after: 0, limit }))).toEqual(hers);
  });

  it('drops obsolete indexes and request records', async () => {
    const names = (await connection.collection('tickets').indexes()).map(({ name }) => name);
    expect(names).not.toContain('status_created_at');
    expect(await connection.collection('request_records').countDocuments({})).toBe(0);
  });
});

function idsOf(records: Awaited<ReturnType<Storage['tickets']['list']>>): string[] {
  return records.map(({ ticket }) => ticket.id).sort();
}

function feedOf(changes: Awaited<ReturnType<Storage['changes']['list']>>): string[] {
  return changes.map(({ id }) => id).sort();
}

function toEarlierDocument(members: Record<string, unknown>) {
  return {
    _id: randomUUID() as string,
    subject: 'The printer is on fire',
    description: '',
    status: 'new',
    priority: 'normal',
    type: null,
    channel: 'api',
    requester: null,
    assignee: null,
    tags: [],
    custom_fields: [],
    external_id: null,
    due_at: null,
    created_at: new Date(at),
    updated_at: new Date(at),
    version: 1,
    ...members,
  };
}

function toEarlierPerson(email: string, name: string | null) {
  const _id: string = randomUUID();
  return { _id, email, name, created_at: new Date(at), terms: [email], starts: [email.slice(0, 3)] };
}

function earlierRecord() {
  const expires_at = new Date(Date.now() + 86_400_000);
  return { _id: randomUUID() as string, fingerprint: 'a request', expires_at, resource: '{}' };
}
