import { AppError } from '@keydesk/http';
import { isDuplicateKey, QUERY_LIMIT_MS } from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import type { Reply } from '../../replies/reply.ts';
import type { TicketCommit, TicketRecord } from '../../tickets/ticket-commit.ts';
import { toEventDocument } from './event-model.ts';
import type { FeedWriter } from './feed-writer.ts';
import type { MongoModels } from './models.ts';
import { toReplyDocument } from './reply-model.ts';
import { createTextWriter } from './text-writer.ts';
import { toTicketDocument } from './ticket-document.ts';

/** Writes commits in the transaction of `session`; `false`: a version was not the expected one. */
export type TicketWriter = (commits: readonly TicketCommit[], session: ClientSession) => Promise<boolean>;

export interface TicketWriterDeps {
  models: MongoModels;
  writeFeeds: FeedWriter;
}

export function createTicketWriter({ models, writeFeeds }: TicketWriterDeps): TicketWriter {
  const { tickets, replies, texts, events, records } = models;
  const writeTexts = createTextWriter(models);

  async function insert(record: TicketRecord, session: ClientSession): Promise<boolean> {
    try {
      await tickets.insertOne(toTicketDocument(record), { session });
      return true;
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
      throw new AppError('conflict', 'There is a ticket with this id already.', { cause: err });
    }
  }

  async function replace(record: TicketRecord, expectedVersion: number, session: ClientSession) {
    const filter = { _id: { $eq: record.ticket.id }, version: { $eq: expectedVersion } };
    const options = { session, maxTimeMS: QUERY_LIMIT_MS };
    const { matchedCount } = await tickets.replaceOne(filter, toTicketDocument(record), options);
    return matchedCount === 1;
  }

  async function purge(id: string, expectedVersion: number, session: ClientSession): Promise<boolean> {
    const options = { session, maxTimeMS: QUERY_LIMIT_MS };
    const filter = { _id: { $eq: id }, version: { $eq: expectedVersion } };
    const { deletedCount } = await tickets.deleteOne(filter, options);
    if (deletedCount === 0) return false;
    const ofTicket = { ticket_id: { $eq: id } };
    await replies.deleteMany(ofTicket, options);
    await texts.deleteOne({ _id: { $eq: id } }, options);
    await events.deleteMany(ofTicket, options);
    await records.deleteMany(ofTicket, options);
    return true;
  }

  async function writeTicket({ id, expectedVersion, record }: TicketCommit, session: ClientSession) {
    if (expectedVersion === undefined) return record !== undefined && insert(record, session);
    return record ? replace(record, expectedVersion, session) : purge(id, expectedVersion, session);
  }

  async function writeReplies(commits: readonly TicketCommit[], session: ClientSession): Promise<void> {
    const written = commits.flatMap(({ writtenReplies = [] }) => writtenReplies.map(toReplacement));
    const removed = commits.flatMap(({ id, removedReplies = [] }) =>
      removedReplies.map((replyId) => toRemoval(id, replyId)),
    );
    if (written.length + removed.length > 0) await replies.bulkWrite([...written, ...removed], { session });
  }

  async function writeEvents(commits: readonly TicketCommit[], session: ClientSession): Promise<void> {
    const happened = commits.flatMap((commit) => commit.events.map(toEventDocument));
    if (happened.length > 0) await events.insertMany(happened, { session });
  }

  return async (commits, session) => {
    // One after the other: a transaction takes no two commands at a time. What others may be at comes first.
    for (const commit of commits) if (!(await writeTicket(commit, session))) return false;
    const sightings = commits.flatMap((commit) => commit.sightings);
    await writeFeeds(sightings, session);
    const kept = commits.filter(({ record }) => record !== undefined);
    await writeReplies(kept, session);
    await writeTexts(kept, session);
    await writeEvents(kept, session);
    return true;
  };
}

function toReplacement(reply: Reply) {
  const filter = { _id: { $eq: reply.id }, ticket_id: { $eq: reply.ticket_id } };
  return { replaceOne: { filter, replacement: toReplyDocument(reply), upsert: true } };
}

function toRemoval(ticketId: string, replyId: string) {
  return { deleteOne: { filter: { _id: { $eq: replyId }, ticket_id: { $eq: ticketId } } } };
}
