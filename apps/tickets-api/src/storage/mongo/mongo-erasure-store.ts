import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { trusted } from 'mongoose';
import type { ErasureStore, ErasureTarget } from '../../helpdesk/erasure/erasure-store.ts';
import { toEventDocument } from './event-model.ts';
import type { MongoModels } from './models.ts';

/** Texts are looked into here: MongoDB would have to be told every field. */
export function createMongoErasureStore({
  tickets,
  replies,
  events,
  records,
}: Pick<MongoModels, 'tickets' | 'replies' | 'events' | 'records'>): ErasureStore {
  return {
    scan: (needles, { after, limit }) =>
      guardMongo(async () => {
        const page = await tickets
          .find({ _id: trusted({ $gt: after }) })
          .sort({ _id: 1 })
          .limit(limit)
          .lean();
        const ids = page.map(({ _id }) => _id);
        const ofPage = { ticket_id: trusted({ $in: ids }) };
        const found = new Set(page.filter(mentions(needles)).map(({ _id }) => _id));
        for (const belongings of [await replies.find(ofPage).lean(), await events.find(ofPage).lean()]) {
          for (const { ticket_id } of belongings.filter(mentions(needles))) {
            if (ticket_id !== null) found.add(ticket_id);
          }
        }
        return {
          ticketIds: ids.filter((id) => found.has(id)),
          last: page.length < limit ? undefined : ids.at(-1),
        };
      }),
    rewriteEvents: (ticketId, rewritten) =>
      guardMongo(async () => {
        const replacements = rewritten.map(toEventDocument).map((replacement) => ({
          replaceOne: {
            filter: { _id: { $eq: replacement._id }, ticket_id: { $eq: ticketId } },
            replacement,
          },
        }));
        await events.bulkWrite(replacements, { maxTimeMS: QUERY_LIMIT_MS });
      }),
    removeRequestRecords: (email) =>
      guardMongo(async () => {
        for await (const { _id, answer } of records.find().lean().cursor()) {
          if (answer.toLowerCase().includes(email)) await records.deleteOne({ _id: { $eq: _id } });
        }
      }),
    // WiredTiger writes its files anew in time, and the oplog ends by its own size.
    compact: async () => undefined,
  };
}

function mentions({ email, personId }: ErasureTarget): (document: object) => boolean {
  return (document) => {
    const text = JSON.stringify(document).toLowerCase();
    return text.includes(email) || (personId !== undefined && text.includes(personId));
  };
}
