import { guardMongo, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import { type Model, trusted } from 'mongoose';
import type { ErasureStore, ErasureTarget } from '../../../helpdesk/erasure/erasure-store.ts';
import type { RequestRecordDocument } from '../commit/commit-once.ts';
import { type EventDocument, toEventDocument } from '../commit/events.ts';
import type { ReplyDocument } from '../tickets/replies.ts';
import { createTagSettler, type TagDocument, type TagStepsDocument } from '../tickets/tags.ts';
import type { TicketDocument } from '../tickets/ticket-document.ts';

/** Creates the erasure store. Texts are searched in this process, because MongoDB would need a list of all fields. */
export function createErasureStore({
  tickets,
  replies,
  events,
  records,
  ...tagModels
}: {
  tickets: Model<TicketDocument>;
  replies: Model<ReplyDocument>;
  events: Model<EventDocument>;
  records: Model<RequestRecordDocument>;
  tags: Model<TagDocument>;
  tagSteps: Model<TagStepsDocument>;
}): ErasureStore {
  const settleTags = createTagSettler(tagModels);
  return {
    scan: (target, { after, limit }) =>
      guardMongo(async () => {
        const page = await tickets
          .find({ _id: trusted({ $gt: after }) })
          .sort({ _id: 1 })
          .limit(limit)
          .lean();
        const ids = page.map(({ _id }) => _id);
        const ofPage = { ticket_id: trusted({ $in: ids }) };
        const found = new Set(page.filter(mentions(target)).map(({ _id }) => _id));
        for (const belongings of [await replies.find(ofPage).lean(), await events.find(ofPage).lean()]) {
          for (const { ticket_id } of belongings.filter(mentions(target))) {
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
    removeRemains: (email) =>
      guardMongo(async () => {
        await settleTags();
        for await (const { _id, answer } of records.find().lean().cursor()) {
          if (answer.toLowerCase().includes(email)) await records.deleteOne({ _id: { $eq: _id } });
        }
      }),
    // WiredTiger rewrites its files over time, and the oplog is limited in size.
    compact: async () => undefined,
  };
}

function mentions({ email, personId }: ErasureTarget): (document: object) => boolean {
  return (document) => {
    const text = JSON.stringify(document).toLowerCase();
    return text.includes(email) || (personId !== undefined && text.includes(personId));
  };
}
