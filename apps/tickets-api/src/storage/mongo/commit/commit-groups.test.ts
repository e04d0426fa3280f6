import { randomUUID } from 'node:crypto';
import { openMongo } from '@keydesk/storage/mongo';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { describeWith, useStarted } from '@keydesk/testing';
import type { Connection, mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { changed, newTicket } from '../../../api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../../../helpdesk/commit/ticket-commit.fixture.ts';
import type { TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import { newFeedEntry } from '../../../helpdesk/feed/new-feed-entry.fixture.ts';
import { newEvent } from '../../../helpdesk/history/new-event.fixture.ts';
import { newReply } from '../../../helpdesk/replies/new-reply.fixture.ts';
import type { Ticket } from '../../../helpdesk/tickets/ticket.ts';
import { newRequest } from '../../../tests/idempotency.fixture.ts';
import { createChangeStore } from '../feed/changes.ts';
import { createModels, listCollections, type MongoModels } from '../schema.ts';
import { createTagStore } from '../tickets/tags.ts';
import { createTicketStore } from '../tickets/tickets.ts';

interface OtherProcess {
  connection: Connection;
  models: MongoModels;
  /** Names of the commands sent so far. */
  commands: string[];
  /** Filters of updates and deletions of one document so far. */
  filters: { collection: string; filter: object }[];
  stop(): Promise<void>;
}

/** Returns the filters of updates and deletions of one document. */
function filtersOf(commandName: string, command: mongo.BSON.Document): OtherProcess['filters'] {
  const updates = (command.updates ?? []).filter(({ multi }: { multi?: boolean }) => !multi);
  const deletes = (command.deletes ?? []).filter(({ limit }: { limit: number }) => limit === 1);
  const queries = [...updates, ...deletes].map(({ q }) => q);
  if (commandName === 'findAndModify') queries.push(command.query);
  return queries.map((filter) => ({ collection: command[commandName], filter }));
}

describeWith('mongodb', 'commits of tickets in MongoDB', (url) => {
  const database = `commits-${randomUUID().slice(0, 8)}`;
  const one = useStarted(open);
  const another = useStarted(open);

  async function open(): Promise<OtherProcess> {
    const monitored = new URL(url);
    monitored.searchParams.set('monitorCommands', 'true');
    const connection = await openMongo({ url: monitored.href, database });
    const commands: string[] = [];
    const filters: OtherProcess['filters'] = [];
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      commands.push(commandName);
      filters.push(...filtersOf(commandName, command));
    });
    const models = createModels(connection);
    await createCollections(connection, listCollections(models));
    return {
      connection,
      models,
      commands,
      filters,
      async stop() {
        await connection.dropDatabase();
        await connection.close();
      },
    };
  }

  const storeOf = ({ models }: OtherProcess) => createTicketStore(models, { now: () => new Date() });

  /** Returns the commit of a new ticket with a tag, an event and entries in two feeds. */
  function addingAll(ticket: Ticket): TicketCommit {
    const feedEntries = [newFeedEntry(ticket.id), newFeedEntry(ticket.id, { reader: 'customer' })];
    return adding(ticket, { events: [newEvent(ticket.id)], feedEntries });
  }

  it('share a transaction that has as many commands as one alone', async () => {
    const { commit } = storeOf(one);
    one.commands.length = 0;
    await commit([addingAll(newTicket({ tags: ['shared'] }))]);
    const alone = one.commands.length;
    one.commands.length = 0;
    const added = Array.from({ length: 40 }, () => newTicket({ tags: ['shared'] }));
    await Promise.all(added.map((ticket) => commit([addingAll(ticket)])));
    expect(one.commands.filter((name) => name === 'commitTransaction')).toHaveLength(1);
    // Beats may be sent in the meantime on a busy machine.
    expect(one.commands.filter((name) => name !== 'update').length).toBeLessThanOrEqual(alone);
    const [tag] = await createTagStore(another.models).list({
      sort: { field: 'name', direction: 'asc' },
      limit: 1,
    });
    expect(tag).toEqual({ name: 'shared', count: 41 });
  });

  it('leave a short queue of tag counts where tags are never listed', async () => {
    const { commit } = storeOf(one);
    const added = Array.from({ length: 120 }, () => newTicket({ tags: ['queued'] }));
    await Promise.all(added.map((ticket) => commit([adding(ticket)])));
    const counted = () => one.models.tags.findOne({ _id: 'queued' }).lean();
    await expect
      .poll(async () => (await counted())?.count ?? 0, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(64);
  });

  it('name the shard keys that the documentation recommends', async () => {
    one.filters.length = 0;
    const ticket = newTicket({ tags: ['a'] });
    const [first, second] = [newReply(ticket.id), newReply(ticket.id)];
    const request = { records: [newRequest()], answer: null, ticketId: ticket.id };
    const { commit } = storeOf(one);
    await commit([{ ...addingAll(ticket), writtenReplies: [first, second] }], request);
    const edited = { ...first, body: 'edited', version: 2 };
    const next = changed(ticket, { subject: 'another' });
    await commit([changing(next, { writtenReplies: [edited], removedReplies: [second.id] })]);
    await createChangeStore(one.models).list({ reader: 'staff', after: 0, limit: 1 });
    const shardKeys: Record<string, string> = { replies: 'ticket_id', events: 'ticket_id' };
    for (const { collection, filter } of one.filters) {
      expect([collection, filter]).toEqual([
        collection,
        expect.objectContaining({ [shardKeys[collection] ?? '_id']: expect.anything() }),
      ]);
    }
    expect(new Set(one.filters.map(({ collection }) => collection))).toEqual(
      new Set([
        'committers',
        'changes',
        'feed_positions',
        'replies',
        'request_records',
        'retired_ids',
        'ticket_texts',
        'tickets',
      ]),
    );
  });

  it('of other tickets do not wait for an open transaction, whatever else they have in common', async () => {
    const held = newTicket({ tags: ['common'] });
    await storeOf(one).commit([addingAll(held)]);
    const { promise: opened, resolve: isOpen } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = createTransactions(one.connection).run(async (session) => {
      await one.models.tickets.updateOne({ _id: held.id }, { $set: { subject: 'held' } }, { session });
      await one.models.changes.updateMany({ ticket_id: held.id }, { $set: { version: 1 } }, { session });
      isOpen();
      await released;
    });
    await opened;
    another.commands.length = 0;
    const { commit } = storeOf(another);
    expect(await commit([addingAll(newTicket({ tags: ['common'] }))])).toEqual({ outcome: 'committed' });
    expect(another.commands.filter((name) => name === 'abortTransaction')).toEqual([]);
    release();
    await holding;
  });

  it('of one ticket wait for a process that is slow, and never end its transaction', async () => {
    const ticket = newTicket();
    await storeOf(one).commit([addingAll(ticket)]);
    const { promise: opened, resolve: isOpen } = Promise.withResolvers<void>();
    let attempts = 0;
    const holding = createTransactions(one.connection).run(async (session) => {
      attempts += 1;
      await one.models.tickets.updateOne({ _id: ticket.id }, { $set: { version: 2 } }, { session });
      isOpen();
      await new Promise((resolve) => setTimeout(resolve, 3_500));
    });
    await opened;
    const outcome = await storeOf(another).commit([changing(changed(ticket))]);
    expect([outcome, attempts]).toEqual([{ outcome: 'stale' }, 1]);
    await holding;
  });

  it('are committed although a stopped process holds their ticket and their feed', async () => {
    const ticket = newTicket();
    await storeOf(one).commit([addingAll(ticket)]);
    const session = await one.connection.startSession();
    session.startTransaction();
    await one.models.tickets.updateOne({ _id: ticket.id }, { $set: { subject: 'held' } }, { session });
    await one.models.feeds.updateOne({ _id: 'staff' }, { $inc: { last: 1 } }, { upsert: true, session });
    const { id, txnNumber } = session.serverSession;
    // The record of a process that no longer increments its beat.
    const record = { _id: id.id, beat: 1, transaction: txnNumber, at: new Date() };
    await one.connection.collection('committers').insertOne(record as never);
    const others = Array.from({ length: 5 }, () => newTicket());
    const { commit } = storeOf(another);
    const outcomes = await Promise.all([
      commit([changing(changed(ticket))]),
      ...others.map((other) => commit([addingAll(other)])),
    ]);
    expect(outcomes).toEqual(Array(6).fill({ outcome: 'committed' }));
    await expect(session.commitTransaction()).rejects.toMatchObject({ name: 'MongoServerError' });
    await session.endSession();
  });
});
