import { randomUUID } from 'node:crypto';
import { openMongo } from '@keydesk/storage/mongo';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { describeWith, useStarted } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import type { TicketCommit } from '../../helpdesk/commit/ticket-commit.ts';
import { newFeedEntry } from '../../helpdesk/feed/new-feed-entry.fixture.ts';
import { newEvent } from '../../helpdesk/history/new-event.fixture.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import { createModels, listCollections, type MongoModels } from './schema.ts';
import { createTagStore } from './tags.ts';
import { createTicketStore } from './tickets.ts';

interface OtherProcess {
  connection: Connection;
  models: MongoModels;
  /** Names of the commands sent so far. */
  commands: string[];
  stop(): Promise<void>;
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
    connection.getClient().on('commandStarted', ({ commandName }) => void commands.push(commandName));
    const models = createModels(connection);
    await createCollections(connection, listCollections(models));
    return {
      connection,
      models,
      commands,
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
    // Beats may be sent meanwhile on a busy machine.
    expect(one.commands.filter((name) => name !== 'update').length).toBeLessThanOrEqual(alone);
    const [tag] = await createTagStore(another.models).list({
      sort: { field: 'name', direction: 'asc' },
      limit: 1,
    });
    expect(tag).toEqual({ name: 'shared', count: 41 });
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
