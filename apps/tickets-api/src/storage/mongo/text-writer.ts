import { QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import { toOwnText, toReplyText } from '../../search/searchable-text.ts';
import type { Ticket } from '../../tickets/ticket.ts';
import type { TicketCommit } from '../../tickets/ticket-commit.ts';
import type { MongoModels } from './models.ts';
import { toTextDocument } from './text-model.ts';

/** Writes what the tickets of commits are found by, once their replies are written, where it is not as it was. */
export type TextWriter = (commits: readonly TicketCommit[], session: ClientSession) => Promise<void>;

export function createTextWriter({ texts, replies }: Pick<MongoModels, 'texts' | 'replies'>): TextWriter {
  async function isAsItWas({ id, ...commit }: TicketCommit, ticket: Ticket, session: ClientSession) {
    const { expectedVersion, writtenReplies = [], removedReplies = [] } = commit;
    if (expectedVersion === undefined || writtenReplies.length + removedReplies.length > 0) return false;
    const own = toOwnText(ticket);
    const before = await texts
      .findOne({ _id: { $eq: id } }, { subject: 1, description: 1 }, { session })
      .lean();
    return before?.subject === own.subject && before.description === own.description;
  }

  async function put(ticket: Ticket, session: ClientSession): Promise<void> {
    const found = await replies
      .find({ ticket_id: { $eq: ticket.id } }, { visibility: 1, body: 1 }, { session })
      .sort({ _id: 1 })
      .hint('by_ticket')
      .lean();
    const document = toTextDocument(ticket.id, { ...toOwnText(ticket), ...toReplyText(found) });
    const options = { upsert: true, session, maxTimeMS: QUERY_LIMIT_MS };
    await texts.replaceOne({ _id: { $eq: ticket.id } }, document, options);
  }

  return async (commits, session) => {
    for (const commit of commits) {
      const ticket = commit.record?.ticket;
      if (ticket && !(await isAsItWas(commit, ticket, session))) await put(ticket, session);
    }
  };
}
