import { type ClientSession, trusted } from 'mongoose';
import { recount } from '../../helpdesk/tickets/conversation.ts';
import type { MongoModels } from './models.ts';
import { type ReplyDocument, toReply } from './reply-model.ts';
import { type TicketDocument, toTicketDocument, toTicketRecord } from './ticket-document.ts';

const COUNTED_AT_ONCE = 100;
const UPGRADE = { _id: 'conversations' };

type Models = Pick<MongoModels, 'tickets' | 'replies'>;

/**
 * Counts the conversations of tickets that an earlier version wrote, a batch a transaction. Several processes may do so
 * at once; once it is done it reads one document.
 */
export async function countConversations(models: Models): Promise<void> {
  const upgrades = models.tickets.db.collection<{ _id: string }>('upgrades');
  if (await upgrades.findOne(UPGRADE)) return;
  let after: string | undefined = '';
  while (after !== undefined) after = await countBatch(models, after);
  await upgrades.updateOne(UPGRADE, { $set: UPGRADE }, { upsert: true });
}

/** Resolves with the id of the last ticket of the batch; `undefined`: there was none. */
async function countBatch({ tickets, replies }: Models, after: string): Promise<string | undefined> {
  return tickets.db.transaction(
    async (session) => {
      const batch = await tickets
        .find({ _id: trusted({ $gt: after }) }, null, { session })
        .sort({ _id: 1 })
        .limit(COUNTED_AT_ONCE)
        .lean();
      for (const ticket of batch.filter(isUncounted)) await countOne({ tickets, replies }, ticket, session);
      return batch.at(-1)?._id;
    },
    { readConcern: { level: 'snapshot' } },
  );
}

/** What is there has been written by a commit since, and is right. */
function isUncounted({ reply_count }: Partial<TicketDocument>): boolean {
  return reply_count === undefined;
}

async function countOne({ tickets, replies }: Models, ticket: TicketDocument, session: ClientSession) {
  const found = await replies
    .find({ ticket_id: { $eq: ticket._id } }, null, { session })
    .sort({ created_at: 1, _id: 1 })
    .lean();
  const marked = found.map((reply) => ({ ...reply, incoming: reply.incoming ?? isOnTicket(ticket, reply) }));
  const byDirection = Map.groupBy(marked, ({ incoming }) => incoming);
  for (const [incoming, some] of byDirection) {
    const ofSome = { _id: trusted({ $in: some.map(({ _id }) => _id) }) };
    await replies.updateMany(ofSome, { $set: { incoming } }, { session });
  }
  const { ticket: uncounted } = toTicketRecord({ ...ticket, ...nothingCounted });
  const counted = await recount(uncounted, asyncOf(marked.map(toReply)));
  const { last_reply_at, last_customer_reply_at, waiting_since, reply_count } = toTicketDocument({
    ticket: counted,
    publicVersion: 1,
    publicUpdatedAt: counted.updated_at,
  });
  const $set = { last_reply_at, last_customer_reply_at, waiting_since, reply_count };
  await tickets.updateOne({ _id: { $eq: ticket._id } }, { $set }, { session });
}

const nothingCounted = {
  last_reply_at: null,
  last_customer_reply_at: null,
  waiting_since: null,
  reply_count: 0,
};

/** Whether they wrote it as staff is not stored. */
function isOnTicket({ requester, cc }: TicketDocument, { author }: ReplyDocument): boolean {
  return author !== null && [requester, ...cc].some((person) => person?.id === author.id);
}

async function* asyncOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
