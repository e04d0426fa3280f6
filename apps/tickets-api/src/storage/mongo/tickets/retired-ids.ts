import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { Connection, Model } from 'mongoose';
import { type ClientSession, trusted } from 'mongoose';
import { toIdKey } from '../../../helpdesk/commit/idempotency.ts';
import type { TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import type { RequestRecordDocument } from '../commit/commit-once.ts';
import type { ReplyDocument } from './replies.ts';

/** Ids of purged tickets and replies, within one transaction. */
export interface RetiredIds {
  /** Returns the ids among the chosen ones of these commits that were in use before. */
  findChosen(commits: readonly TicketCommit[], session: ClientSession): Promise<ReadonlySet<string>>;
  /** Retires the ids of a ticket and its replies before a purge. */
  retireTicket(id: string, session: ClientSession): Promise<void>;
  /** Retires the ids of removed replies. */
  retireReplies(commits: readonly TicketCommit[], session: ClientSession): Promise<void>;
}

type Models = {
  replies: Model<ReplyDocument>;
  records: Model<RequestRecordDocument>;
  retiredIds: Model<RetiredIdDocument>;
};

export function createRetiredIds({ replies, records, retiredIds }: Models): RetiredIds {
  async function retire(ids: readonly string[], session: ClientSession): Promise<void> {
    const upserts = ids.map((_id) => ({
      updateOne: { filter: { _id: { $eq: _id } }, update: { $setOnInsert: { _id } }, upsert: true },
    }));
    await retiredIds.bulkWrite(upserts, { session });
  }

  return {
    async findChosen(commits, session) {
      const chosen = commits.flatMap(({ chosenId }) => chosenId ?? []);
      if (chosen.length === 0) return new Set();
      const found = await retiredIds.find({ _id: trusted({ $in: chosen }) }, null, { session }).lean();
      return new Set(found.map(({ _id }) => _id));
    },
    async retireTicket(id, session) {
      const ofTicket = await replies.find({ ticket_id: { $eq: id } }, { _id: 1 }, { session }).lean();
      await retire([id, ...ofTicket.map(({ _id }) => _id)], session);
    },
    async retireReplies(commits, session) {
      const ids = commits.flatMap(({ removedReplies = [] }) => removedReplies);
      if (ids.length === 0) return;
      await retire(ids, session);
      const keys = ids.map((id) => toIdKey('reply', id));
      await records.deleteMany({ _id: trusted({ $in: keys }) }, { session });
    },
  };
}

/** Id of a purged ticket or reply. */
export interface RetiredIdDocument {
  _id: string;
}

export function createRetiredIdModel(connection: Connection): Model<RetiredIdDocument> {
  const schema = createDocumentSchema<RetiredIdDocument>({ _id: String });
  return connection.model<RetiredIdDocument>('RetiredId', schema, 'retired_ids');
}
