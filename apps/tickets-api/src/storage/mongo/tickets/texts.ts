import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import {
  type ClientSession,
  type Connection,
  type Model,
  type mongo,
  type QueryFilter,
  trusted,
} from 'mongoose';
import type { TicketCommit, TicketRecord } from '../../../helpdesk/commit/ticket-commit.ts';
import type { Reply } from '../../../helpdesk/replies/reply.ts';
import { type SearchTerm, toSearchString } from '../../../helpdesk/search/search-terms.ts';
import {
  isFull,
  keepsReplies,
  type SearchableText,
  toReplyText,
  toTicketText,
} from '../../../helpdesk/search/searchable-text.ts';
import { toLine } from '../../../helpdesk/search/tokenize.ts';
import type { ReplyDocument } from './replies.ts';

/** Writes the searchable text of changed tickets, after their replies have been written. */
export type TextWriter = (commits: readonly TicketCommit[], session: ClientSession) => Promise<void>;

const READ_BATCH = 100;

export function createTextWriter({
  texts,
  replies,
}: {
  texts: Model<TextDocument>;
  replies: Model<ReplyDocument>;
}): TextWriter {
  /** Reads replies up to the searched length. */
  async function readLines(ticketId: string, visibility: Reply['visibility'], session: ClientSession) {
    const bodies = replies
      .find({ ticket_id: { $eq: ticketId }, visibility: { $eq: visibility } }, { body: 1 }, { session })
      .sort({ created_at: 1, _id: 1 })
      .hint('in_order_by_visibility')
      .lean()
      .cursor({ batchSize: READ_BATCH });
    let lines = '';
    for await (const { body } of bodies) {
      lines += toLine(body);
      if (isFull(lines)) break;
    }
    return lines;
  }

  /** Reads the texts before these commits; only changes of tickets have any. */
  async function readBefore(commits: readonly TicketCommit[], session: ClientSession) {
    const ids = commits.filter(({ expectedVersion }) => expectedVersion !== undefined).map(({ id }) => id);
    if (ids.length === 0) return new Map<string, KnownText>();
    const known = { subject: 1, description: 1, replies: 1, notes: 1 } as const;
    const found = await texts.find({ _id: trusted({ $in: ids }) }, known, { session }).lean();
    return new Map(found.map((text) => [text._id, text]));
  }

  async function readReplies(ticketId: string, session: ClientSession) {
    return {
      replies: await readLines(ticketId, 'public', session),
      notes: await readLines(ticketId, 'internal', session),
    };
  }

  /** Returns the write of one text; none if it stays the same. */
  async function toWrite(
    commit: TicketCommit & { record: TicketRecord },
    before: KnownText | undefined,
    session: ClientSession,
  ) {
    const { id, record, expectedVersion, writtenReplies = [] } = commit;
    const own = toTicketText(record.ticket);
    const isSame = before?.subject === own.subject && before.description === own.description;
    if (before && isSame && keepsReplies(commit)) return toAppending(before, writtenReplies);
    const isNew = expectedVersion === undefined;
    const ofReplies = isNew ? toReplyText(writtenReplies) : await readReplies(id, session);
    return [toReplacement(toTextDocument(id, { ...own, ...ofReplies }))];
  }

  return async (commits, session) => {
    const before = await readBefore(commits, session);
    const writes: mongo.AnyBulkWriteOperation<TextDocument>[] = [];
    for (const commit of commits) {
      const { record } = commit;
      if (record) writes.push(...(await toWrite({ ...commit, record }, before.get(commit.id), session)));
    }
    if (writes.length > 0) await texts.bulkWrite(writes as never, { session });
  };
}

/** Stored text without its words. */
type KnownText = Pick<TextDocument, '_id' | keyof SearchableText>;

function toAppending(before: KnownText, added: readonly Reply[]) {
  if (added.length === 0) return [];
  const { replies, notes } = toReplyText(added, before);
  const more = [replies.slice(before.replies.length), notes.slice(before.notes.length)];
  if (more.join('') === '') return [];
  const update = { $set: { replies, notes }, $addToSet: { words: { $each: wordsOf(more) } } };
  return [{ updateOne: { filter: { _id: { $eq: before._id } }, update } }];
}

function toReplacement(replacement: TextDocument) {
  return { replaceOne: { filter: { _id: { $eq: replacement._id } }, replacement, upsert: true } };
}

/** Selects tickets that have every word of a search, in any text: up to `limit` ids, unordered. */
export function selectByWords(texts: Model<TextDocument>, terms: readonly SearchTerm[], limit: number) {
  return texts
    .find({ $and: terms.flatMap(toWordConditions) }, { _id: 1 })
    .limit(limit)
    .hint('by_word')
    .lean();
}

/** Selects the given tickets that have every term in the text visible to the viewer. */
export function selectMatches(
  texts: Model<TextDocument>,
  ids: readonly string[],
  terms: readonly SearchTerm[],
  { isPublicOnly }: { isPublicOnly: boolean },
) {
  const fields = ['subject', 'description', 'replies', ...(isPublicOnly ? [] : ['notes'])];
  const conditions = terms.map((term) => ({
    $or: fields.map((field) => ({ [field]: trusted({ $regex: toSearchString(term) }) })),
  }));
  return texts.find({ $and: [{ _id: trusted({ $in: ids }) }, ...conditions] }, { _id: 1 }).lean();
}

/** Converts a term. Words have only letters and digits, so they need no escaping in patterns. */
function toWordConditions({ words, isPrefix }: SearchTerm): QueryFilter<TextDocument>[] {
  return words.map((word, i) => {
    const isLastPrefix = isPrefix && i === words.length - 1;
    return { words: isLastPrefix ? trusted({ $regex: `^${word}` }) : { $eq: word } };
  });
}

/** Searchable text of a ticket, stored separately because it is large and rarely written. */
export interface TextDocument extends SearchableText {
  /** Id of the ticket. */
  _id: string;
  /** Distinct words of all lines. */
  words: string[];
}

export const textIndexes = [{ name: 'by_word', key: { words: 1 } as const }];

export function createTextModel(connection: Connection): Model<TextDocument> {
  const schema = createDocumentSchema<TextDocument>({
    _id: String,
    subject: String,
    description: String,
    replies: String,
    notes: String,
    words: [String],
  });
  return connection.model<TextDocument>('Text', schema, 'ticket_texts');
}

function toTextDocument(id: string, text: SearchableText): TextDocument {
  const { subject, description, replies, notes } = text;
  return { _id: id, ...text, words: wordsOf([subject, description, replies, notes]) };
}

/** Returns the distinct words of lines. */
function wordsOf(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((each) => each.match(/\S+/gu) ?? []))];
}

export function toText({ subject, description, replies, notes }: TextDocument): SearchableText {
  return { subject, description, replies, notes };
}
