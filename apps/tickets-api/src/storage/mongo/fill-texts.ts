import { trusted } from 'mongoose';
import { toReplyText, toTicketText } from '../../helpdesk/search/searchable-text.ts';
import type { MongoModels } from './models.ts';
import { toTextDocument } from './text-model.ts';

const BATCH_SIZE = 100;
const UPGRADE = { _id: 'ticket_texts' };

type Models = Pick<MongoModels, 'tickets' | 'texts' | 'replies'>;

/**
 * Writes the searchable text of tickets of an earlier version, one transaction per batch. Several processes may run it at
 * once; afterwards it reads one document.
 */
export async function fillTexts(models: Models): Promise<void> {
  const upgrades = models.tickets.db.collection<{ _id: string }>('upgrades');
  if (await upgrades.findOne(UPGRADE)) return;
  let after: string | undefined = '';
  while (after !== undefined) after = await fillBatch(models, after);
  await upgrades.updateOne(UPGRADE, { $set: UPGRADE }, { upsert: true });
}

/** Migrates a batch; returns the id of its last ticket, or `undefined` at the end. */
async function fillBatch({ tickets, texts, replies }: Models, after: string): Promise<string | undefined> {
  return tickets.db.transaction(
    async (session) => {
      const batch = await tickets
        .find({ _id: trusted({ $gt: after }) }, { subject: 1, description: 1 }, { session })
        .sort({ _id: 1 })
        .limit(BATCH_SIZE)
        .lean();
      const ofBatch = { ticket_id: trusted({ $in: batch.map(({ _id }) => _id) }) };
      const found = await replies.find(ofBatch, null, { session }).sort({ created_at: 1, _id: 1 }).lean();
      const byTicket = Map.groupBy(found, ({ ticket_id }) => ticket_id);
      const upserts = batch.map((ticket) => {
        const text = { ...toTicketText(ticket), ...toReplyText(byTicket.get(ticket._id) ?? []) };
        const { _id, ...members } = toTextDocument(ticket._id, text);
        // An existing text was written by a commit and is current.
        return { updateOne: { filter: { _id }, update: { $setOnInsert: members }, upsert: true } };
      });
      if (upserts.length > 0) await texts.bulkWrite(upserts, { session });
      return batch.at(-1)?._id;
    },
    { readConcern: { level: 'snapshot' } },
  );
}
