import { randomUUID } from 'node:crypto';
import { describeWith, useStarted } from '@keydesk/testing';
import type { ClientSession } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../../api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../../../helpdesk/commit/ticket-commit.fixture.ts';
import type { TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import { newFeedEntry } from '../../../helpdesk/feed/new-feed-entry.fixture.ts';
import { explainWalks } from '../explained.fixture.ts';
import { useModels } from '../models.fixture.ts';
import { createTicketWriter } from '../tickets/ticket-writer.ts';
import { createTicketStore } from '../tickets/tickets.ts';
import { createChangeStore } from './changes.ts';
import { selectQueued } from './feed-numbers.ts';

describeWith('mongodb', 'a feed in MongoDB', (url) => {
  const models = useModels(url);
  const open = useStarted(async () => {
    const session = await models.changes.db.startSession();
    return { session, stop: () => session.endSession() };
  });
  const storeAt = (now: () => Date) => createTicketStore(models, { now });

  /** Writes a commit in an open transaction. */
  async function begin(commit: TicketCommit): Promise<ClientSession> {
    const { session } = open;
    session.startTransaction();
    const write = createTicketWriter(models, { now: () => new Date() });
    const [result] = await write([{ commits: [commit], request: undefined }], session, { isAtKey: false });
    expect(result).toMatchObject({ status: 'fulfilled', value: { outcome: 'committed' } });
    return session;
  }

  it('returns a commit that takes long to readers that have read later ones', async () => {
    const [changes, tickets, reader] = [createChangeStore(models), storeAt(() => new Date()), randomUUID()];
    const commitOne = async () => {
      const ticket = newTicket();
      await tickets.commit([adding(ticket, { feedEntries: [newFeedEntry(ticket.id, { reader })] })]);
      return ticket.id;
    };
    // The first document of a collection changes the catalogue of the stand-in server.
    await commitOne();
    await changes.list({ reader, after: 0, limit: 10 });
    const slow = newTicket();
    const entry = newFeedEntry(slow.id, { reader });
    const session = await begin(adding(slow, { feedEntries: [entry] }));
    const others = [await commitOne(), await commitOne()];
    const read = await changes.list({ reader, after: 1, limit: 10 });
    expect(read.map(({ id }) => id)).toEqual(others);
    await session.commitTransaction();
    const after = read.at(-1)?.position ?? 0;
    expect(await changes.list({ reader, after, limit: 10 })).toMatchObject([
      { id: slow.id, position: after + 1 },
    ]);
  });

  it('still has a resource at its earlier position while a change of it is queued', async () => {
    const [tickets, reader, ticket] = [storeAt(() => new Date()), randomUUID(), newTicket()];
    const feedEntries = [newFeedEntry(ticket.id, { reader })];
    await tickets.commit([adding(ticket, { feedEntries })]);
    await createChangeStore(models).list({ reader, after: 0, limit: 10 });
    await tickets.commit([changing(changed(ticket), { feedEntries })]);
    expect(await models.changes.find({ reader }).lean()).toMatchObject([{ position: 1, is_queued: true }]);
    expect(await createChangeStore(models).list({ reader, after: 1, limit: 10 })).toMatchObject([
      { position: 2 },
    ]);
  });

  it('has the changes of a ticket in order although the clocks of processes differ', async () => {
    const [reader, ticket, replyId] = [randomUUID(), newTicket(), randomUUID()];
    const ofTicket = newFeedEntry(ticket.id, { reader });
    const ofReply = { ...ofTicket, resource: 'reply', id: replyId } as const;
    const ahead = storeAt(() => new Date(Date.now() + 4_000));
    await ahead.commit([adding(ticket, { feedEntries: [ofTicket, ofReply] })]);
    const other = newTicket();
    const behind = storeAt(() => new Date());
    await behind.commit([adding(other, { feedEntries: [newFeedEntry(other.id, { reader })] })]);
    await behind.commit([changing(changed(ticket), { feedEntries: [ofTicket] })]);
    const read = await createChangeStore(models).list({ reader, after: 0, limit: 10 });
    expect(read.map(({ id }) => id)).toEqual([other.id, replyId, ticket.id]);
  });

  it('gives each change one position when several processes read', async () => {
    const [reader, tickets] = [randomUUID(), storeAt(() => new Date())];
    const added = Array.from({ length: 30 }, () => newTicket());
    await Promise.all(
      added.map((ticket) =>
        tickets.commit([adding(ticket, { feedEntries: [newFeedEntry(ticket.id, { reader })] })]),
      ),
    );
    const pages = await Promise.all(
      Array.from({ length: 4 }, () => createChangeStore(models).list({ reader, after: 0, limit: 100 })),
    );
    for (const page of pages) {
      expect(page.map(({ position }) => position)).toEqual(added.map((_, i) => i + 1));
      expect(page).toEqual(pages[0]);
    }
  });

  it('restarts also where nothing has been read', async () => {
    const [changes, reader, ticket] = [createChangeStore(models), randomUUID(), newTicket()];
    const feedEntries = [newFeedEntry(ticket.id, { reader })];
    await storeAt(() => new Date()).commit([adding(ticket, { feedEntries })]);
    await changes.restart();
    const { last, purgedUpTo } = await changes.bounds(reader);
    expect([last, purgedUpTo]).toEqual([1_000_000_001, 1_000_000_000]);
  });

  describe('that is not read', () => {
    it('uses an index for what is queued', async () => {
      expect(await explainWalks(selectQueued(models, 'staff', 10))).toEqual(['queued']);
    });
  });
});
