import { trusted } from 'mongoose';
import { toReplyText, toTicketText } from '../../helpdesk/search/searchable-text.ts';
import type { MongoModels } from './models.ts';
import { toTextDocument } from './text-model.ts';

const FILLED_AT_ONCE = 100;
const UPGRADE = { _id: 'ticket_texts' };

type Models = Pick<MongoModels, 'tickets' | 'texts' | 'replies'>;

/**
 * Writes what tickets of an earlier version are found by, a batch a transaction. Several processes may do so at once;
 * when it was done before it reads one document.
 */
export async function fillTexts(models: Models): Promise<void> {
  const upgrades = models.tickets.db.collection<{ _id: string }>('upgrades');
  if (await upgrades.findOne(UPGRADE)) return;
  let after: string | undefined = '';
  while (after !== undefined) after = await fillBatch(models, after);
  await upgrades.updateOne(UPGRADE, { $set: UPGRADE }, { upsert: true });
}

/** Resolves with the id of the last ticket of the batch; `undefined`: there was none. */
async function fillBatch({ tickets, texts, replies }: Models, after: string): Promise<string | undefined> {
  return tickets.db.transaction(
    async (session) => {
      const batch = await tickets
        .find({ _id: trusted({ $gt: after }) }, { subject: 1, description: 1 }, { session })
        .sort({ _id: 1 })
        .limit(FILLED_AT_ONCE)
        .lean();
      const ofBatch = { ticket_id: trusted({ $in: batch.map(({ _id }) => _id) }) };
      const found = await replies.find(ofBatch, null, { session }).sort({ created_at: 1, _id: 1 }).lean();
      const byTicket = Map.groupBy(found, ({ ticket_id }) => ticket_id);
      const upserts = batch.map((ticket) => {
        const text = { ...toTicketText(ticket), ...toReplyText(byTicket.get(ticket._id) ?? []) };
        const { _id, ...members } = toTextDocument(ticket._id, text);
        // What is there has been written by a commit since, and knows of more.
        return { updateOne: { filter: { _id }, update: { $setOnInsert: members }, upsert: true } };
      });
      if (upserts.length > 0) await texts.bulkWrite(upserts, { session });
      return batch.at(-1)?._id;
    },
    { readConcern: { level: 'snapshot' } },
  );
}
