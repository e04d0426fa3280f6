import type { ClientSession } from 'mongoose';
import type { TicketCommit } from '../../helpdesk/commit/ticket-commit.ts';
import type { Reply } from '../../helpdesk/replies/reply.ts';
import { isFull, keepsReplies, toReplyText, toTicketText } from '../../helpdesk/search/searchable-text.ts';
import { toLine } from '../../helpdesk/search/tokenize.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { MongoModels } from './models.ts';
import { toTextDocument, wordsOf } from './text-model.ts';

/** Writes the searchable text of changed tickets, after their replies have been written. */
export type TextWriter = (commits: readonly TicketCommit[], session: ClientSession) => Promise<void>;

const READ_AT_ONCE = 100;

export function createTextWriter({ texts, replies }: Pick<MongoModels, 'texts' | 'replies'>): TextWriter {
  async function isUnchanged(ticket: Ticket, session: ClientSession): Promise<boolean> {
    const own = toTicketText(ticket);
    const before = await texts
      .findOne({ _id: { $eq: ticket.id } }, { subject: 1, description: 1 }, { session })
      .lean();
    return before?.subject === own.subject && before.description === own.description;
  }

  async function append(ticketId: string, added: readonly Reply[], session: ClientSession): Promise<void> {
    const byId = { _id: { $eq: ticketId } };
    const before = await texts.findOne(byId, { replies: 1, notes: 1 }, { session }).orFail().lean();
    const { replies, notes } = toReplyText(added, before);
    const more = [replies.slice(before.replies.length), notes.slice(before.notes.length)];
    if (more.join('') === '') return;
    const update = { $set: { replies, notes }, $addToSet: { words: { $each: wordsOf(more) } } };
    await texts.updateOne(byId, update, { session });
  }

  /** Reads replies up to the searched length. */
  async function readLines(ticketId: string, visibility: Reply['visibility'], session: ClientSession) {
    const bodies = replies
      .find({ ticket_id: { $eq: ticketId }, visibility: { $eq: visibility } }, { body: 1 }, { session })
      .sort({ created_at: 1, _id: 1 })
      .hint('in_order_by_visibility')
      .lean()
      .cursor({ batchSize: READ_AT_ONCE });
    let lines = '';
    for await (const { body } of bodies) {
      lines += toLine(body);
      if (isFull(lines)) break;
    }
    return lines;
  }

  async function put(ticket: Ticket, session: ClientSession): Promise<void> {
    const document = toTextDocument(ticket.id, {
      ...toTicketText(ticket),
      replies: await readLines(ticket.id, 'public', session),
      notes: await readLines(ticket.id, 'internal', session),
    });
    const options = { upsert: true, session };
    await texts.replaceOne({ _id: { $eq: ticket.id } }, document, options);
  }

  return async (commits, session) => {
    for (const commit of commits) {
      const { id, expectedVersion, record, writtenReplies = [] } = commit;
      if (!record) continue;
      const canAppend = expectedVersion !== undefined && keepsReplies(commit);
      if (!canAppend || !(await isUnchanged(record.ticket, session))) await put(record.ticket, session);
      else if (writtenReplies.length > 0) await append(id, writtenReplies, session);
    }
  };
}
