import { type ClientSession, trusted } from 'mongoose';
import { recount } from '../../helpdesk/tickets/conversation.ts';
import type { MongoModels } from './models.ts';
import { type ReplyDocument, toReply } from './reply-model.ts';
import { type TicketDocument, toTicketDocument, toTicketRecord } from './ticket-document.ts';

const BATCH_SIZE = 100;
const UPGRADE = { _id: 'conversations' };

type Models = Pick<MongoModels, 'tickets' | 'replies'>;

/**
 * Counts the conversations of tickets of an earlier version, one transaction per batch. Several processes may run it at once;
 * afterwards it reads one document.
 */
export async function countConversations(models: Models): Promise<void> {
  const upgrades = models.tickets.db.collection<{ _id: string }>('upgrades');
  if (await upgrades.findOne(UPGRADE)) return;
  let after: string | undefined = '';
  while (after !== undefined) after = await countBatch(models, after);
  await upgrades.updateOne(UPGRADE, { $set: UPGRADE }, { upsert: true });
}

/** Migrates a batch; returns the id of its last ticket, or `undefined` at the end. */
async function countBatch({ tickets, replies }: Models, after: string): Promise<string | undefined> {
  return tickets.db.transaction(
    async (session) => {
      const batch = await tickets
        .find({ _id: trusted({ $gt: after }) }, null, { session })
        .sort({ _id: 1 })
        .limit(BATCH_SIZE)
        .lean();
      for (const ticket of batch.filter(isUncounted)) await countOne({ tickets, replies }, ticket, session);
      return batch.at(-1)?._id;
    },
    { readConcern: { level: 'snapshot' } },
  );
}

/** Whether the ticket has no count; an existing one was written by a commit and is current. */
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

/** Whether the author is on the ticket. Whether they wrote as staff is not stored. */
function isOnTicket({ requester, cc }: TicketDocument, { author }: ReplyDocument): boolean {
  return author !== null && [requester, ...cc].some((person) => person?.id === author.id);
}

async function* asyncOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
