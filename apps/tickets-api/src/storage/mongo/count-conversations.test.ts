import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { expect, it } from 'vitest';
import { newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { authorOf, newReply } from '../../helpdesk/replies/new-reply.fixture.ts';
import { createMongoDatabase } from '../test-database.fixture.ts';

const MORE_THAN_A_BATCH = 120;
const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;

describeWith('mongodb', 'migration of conversations in MongoDB', (url) => {
  it('counts them from replies, once', async () => {
    const database = await createMongoDatabase(url);
    const [requester, copied] = [newReference(), newReference()];
    const tickets = Array.from({ length: MORE_THAN_A_BATCH }, () => newTicket({ requester, cc: [copied] }));
    const [silent = newTicket(), busy = newTicket(), reopened = newTicket()] = tickets;
    const storage = await database.open();
    const toReplies = (ticketId: string) => [
      newReply(ticketId, { author: authorOf(copied), created_at: at(1) }),
      newReply(ticketId, { author: authorOf(newReference()), created_at: at(2) }),
      newReply(ticketId, { author: authorOf(requester), created_at: at(3) }),
      newReply(ticketId, { author: null, visibility: 'internal', created_at: at(4) }),
    ];
    await storage.tickets.commit([
      ...tickets.slice(3).map((ticket) => adding(ticket)),
      adding(silent),
      adding(busy, { writtenReplies: toReplies(busy.id) }),
      adding({ ...reopened, solved_at: at(5) }, { writtenReplies: toReplies(reopened.id) }),
    ]);
    await storage.close();
    await uncount(database.storageUrl);

    const [first, second] = await Promise.all([database.open(), database.open()]);
    const find = async (id: string) => (await first.tickets.find(id))?.ticket;
    const created = silent.created_at;
    expect(await find(silent.id)).toStrictEqual({ ...silent, waiting_since: created });
    expect(await find(busy.id)).toMatchObject({
      last_reply_at: at(3),
      last_customer_reply_at: at(3),
      waiting_since: at(3),
      reply_count: 3,
    });
    expect(await find(reopened.id)).toMatchObject({ waiting_since: null, reply_count: 3 });
    const last = await find(tickets.at(-1)?.id ?? '');
    expect(last).toMatchObject({ waiting_since: created, reply_count: 0 });
    const query = { ticketId: busy.id, isPublicOnly: false, direction: 'asc', limit: 10 } as const;
    const directions = (await first.replies.list(query)).map(({ incoming }) => incoming);
    expect(directions).toEqual([true, false, true, false]);
    await Promise.all([first.close(), second.close()]);
    await database.drop();
  });
});

/** Removes the fields that an earlier version did not write. */
async function uncount(storageUrl: string): Promise<void> {
  const connection = await openMongo({ url: storageUrl, database: storageUrl.split(/[/?]/)[3] ?? '' });
  const fields = { last_reply_at: '', last_customer_reply_at: '', waiting_since: '', reply_count: '' };
  await connection.collection('tickets').updateMany({}, { $unset: fields });
  await connection.collection('replies').updateMany({}, { $unset: { incoming: '', counts_as_reply: '' } });
  await connection.collection<{ _id: string }>('upgrades').deleteOne({ _id: 'conversations' });
  await connection.close();
}
