import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TicketRecord } from '../helpdesk/commit/ticket-commit.ts';
import { loadAllReplies } from '../helpdesk/replies/load-all-replies.ts';
import type { Storage } from '../helpdesk/storage.ts';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../storage/test-database.fixture.ts';
import { generate } from './generate.ts';

const until = new Date('2026-03-01T00:00:00.000Z');
const TICKETS = 40;
const REPLIES = 120;

function fill(storage: Storage, seed: number, tickets = TICKETS, replies = REPLIES): Promise<void> {
  return generate(storage, { tickets, replies, seed, until, batchSize: 15, onProgress: () => undefined });
}

async function listAll({ tickets }: Storage): Promise<readonly TicketRecord[]> {
  const query = { filter: {}, sort: { field: 'created_at', direction: 'asc' }, limit: 1_000 } as const;
  return [...(await tickets.list(query)), ...(await tickets.list({ ...query, isDeleted: true }))];
}

function generatorContract(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await createDatabase();
    storage = await database.open();
    await fill(storage, 1);
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  it('adds the requested number of tickets and replies, none of them in the future', async () => {
    const records = await listAll(storage);
    let replies = 0;
    for (const { ticket } of records) replies += (await loadAllReplies(storage.replies, ticket.id)).length;
    expect([records.length, replies]).toEqual([TICKETS, REPLIES]);
    expect(
      records.filter(({ ticket }) => ticket.updated_at >= until.toISOString() && !ticket.deleted_at),
    ).toEqual([]);
  });

  it('writes the same as the API: a version with events and feed entries for each change', async () => {
    for (const { ticket } of (await listAll(storage)).slice(0, 15)) {
      const query = { ticketId: ticket.id, isPublicOnly: false, direction: 'asc', limit: 1_000 } as const;
      const events = (await storage.events.list(query)).map(({ event }) => event);
      expect(new Set(events.map(({ created_at }) => created_at)).size).toBe(ticket.version);
      const replies = await storage.replies.list(query);
      expect(events.flatMap(({ reply_id }) => reply_id ?? [])).toEqual(replies.map(({ id }) => id));
      const reader = ticket.requester?.id ?? '';
      const seen = await storage.changes.list({ reader, after: 0, limit: 10_000 });
      const shown = replies.filter(({ visibility }) => visibility === 'public').map(({ id }) => id);
      const ofTicket = seen.filter(({ ticketId }) => ticketId === ticket.id);
      expect(ofTicket.map(({ id }) => id).toSorted()).toEqual([ticket.id, ...shown].toSorted());
    }
  });
}

describe('the generator on SQLite', () => {
  generatorContract(createSqliteDatabase);

  it('defines custom fields once, however often it runs', async () => {
    const database = await createSqliteDatabase();
    const storage = await database.open();
    for (const seed of [1, 2]) await fill(storage, seed, 10, 10);
    const keys = (await storage.fields.list()).map(({ key }) => key);
    expect(keys.toSorted()).toEqual(['floor', 'order_number', 'vip']);
    const used = (await listAll(storage)).flatMap(({ ticket }) => Object.keys(ticket.custom_fields));
    expect(keys).toEqual(expect.arrayContaining(used));
    await storage.close();
    await database.drop();
  });

  it('generates the same tickets for the same seed, and others for another', async () => {
    const [one, same, other] = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        const database = await createSqliteDatabase();
        const storage = await database.open();
        await fill(storage, seed, 30, 60);
        const records = await listAll(storage);
        await storage.close();
        await database.drop();
        return records;
      }),
    );
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });
});

describeWith('mongodb', 'the generator on MongoDB', (url) =>
  generatorContract(() => createMongoDatabase(url)),
);
