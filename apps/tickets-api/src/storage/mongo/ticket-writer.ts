import { isDuplicateKey } from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import { idInUse } from '../../helpdesk/commit/idempotency.ts';
import type { TicketCommit, TicketRecord } from '../../helpdesk/commit/ticket-commit.ts';
import type { Reply } from '../../helpdesk/replies/reply.ts';
import { createFeedWriter } from './changes.ts';
import { chooseDefinitions } from './definitions.ts';
import { toEventDocument } from './events.ts';
import { toReplyDocument } from './replies.ts';
import { createRetiredIds } from './retired-ids.ts';
import type { MongoModels } from './schema.ts';
import { countedTags, recountTags, type TagDifference } from './tags.ts';
import { createTextWriter } from './texts.ts';
import { toTicketDocument } from './ticket-document.ts';
import { uniqueExternalId } from './ticket-indexes.ts';

/**
 * Writes commits in the transaction of `session`; resolves to `false` if a version is not the expected one, or if
 * another ticket has an external id.
 *
 * @throws {AppError} `id_in_use` when the id of a new ticket or reply is or was in use; `validation_failed` when a
 *   chosen status, type or priority is removed or being replaced
 */
export type TicketWriter = (commits: readonly TicketCommit[], session: ClientSession) => Promise<boolean>;

export function createTicketWriter(models: MongoModels, clock: { now: () => Date }): TicketWriter {
  const { tickets, replies, texts, events, records, tags } = models;
  const retired = createRetiredIds(models);
  const writeTexts = createTextWriter(models);
  const writeFeeds = createFeedWriter(models, clock);

  async function insert(record: TicketRecord, session: ClientSession): Promise<TagDifference> {
    const document = toTicketDocument(record);
    try {
      await tickets.insertOne(document, { session });
      return { before: [], after: countedTags(document) };
    } catch (err) {
      throw isDuplicateKey(err, '_id_') ? idInUse(err) : err;
    }
  }

  async function replace(record: TicketRecord, expectedVersion: number, session: ClientSession) {
    const filter = { _id: { $eq: record.ticket.id }, version: { $eq: expectedVersion } };
    const document = toTicketDocument(record);
    const replaced = await tickets.findOneAndReplace(filter, document, ofTags(session)).lean();
    return replaced && { before: countedTags(replaced), after: countedTags(document) };
  }

  async function purge(id: string, expectedVersion: number, session: ClientSession) {
    const options = { session };
    const filter = { _id: { $eq: id }, version: { $eq: expectedVersion } };
    const purged = await tickets.findOneAndDelete(filter, ofTags(session)).lean();
    if (!purged) return null;
    const ofTicket = { ticket_id: { $eq: id } };
    await retired.retireTicket(id, session);
    await replies.deleteMany(ofTicket, options);
    await texts.deleteOne({ _id: { $eq: id } }, options);
    await events.deleteMany(ofTicket, options);
    await records.deleteMany(ofTicket, options);
    return { before: countedTags(purged), after: [] };
  }

  /** Writes a ticket; returns the tags it counts for, or `null` if it is not at the expected version. */
  async function writeTicket(
    { id, expectedVersion, record }: TicketCommit,
    session: ClientSession,
  ): Promise<TagDifference | null> {
    if (expectedVersion === undefined) return record ? insert(record, session) : null;
    return record ? replace(record, expectedVersion, session) : purge(id, expectedVersion, session);
  }

  return async (commits, session) => {
    // Sequential, because a transaction runs one command at a time. Commands that may conflict come first.
    await retired.assertNone(commits, session);
    const chosen = commits.flatMap((commit) => commit.chosen ?? []);
    await chooseDefinitions(models, chosen, session);
    const differences: TagDifference[] = [];
    for (const commit of commits) {
      const difference = await unlessClaimed(() => writeTicket(commit, session));
      if (!difference) return false;
      differences.push(difference);
    }
    const feedEntries = commits.flatMap((commit) => commit.feedEntries);
    await writeFeeds(feedEntries, session);
    await recountTags(tags, differences, session);
    const kept = commits.filter(({ record }) => record !== undefined);
    await writeReplies(replies, kept, session);
    await retired.retireReplies(kept, session);
    await writeTexts(kept, session);
    await writeEvents(events, kept, session);
    return true;
  };
}

/** Runs a write; returns `null` if another ticket has the external id within the client. */
async function unlessClaimed<Result>(write: () => Promise<Result>): Promise<Result | null> {
  try {
    return await write();
  } catch (err) {
    if (isDuplicateKey(err, uniqueExternalId.name)) return null;
    throw err;
  }
}

async function writeReplies(
  replies: MongoModels['replies'],
  commits: readonly TicketCommit[],
  session: ClientSession,
): Promise<void> {
  const written = commits.flatMap(({ writtenReplies = [] }) => writtenReplies.map(toReplyWrite));
  const removed = commits.flatMap(({ id, removedReplies = [] }) =>
    removedReplies.map((replyId) => toRemoval(id, replyId)),
  );
  if (written.length + removed.length === 0) return;
  try {
    await replies.bulkWrite([...written, ...removed], { session });
  } catch (err) {
    throw isDuplicateKey(err) ? idInUse(err) : err;
  }
}

async function writeEvents(
  events: MongoModels['events'],
  commits: readonly TicketCommit[],
  session: ClientSession,
): Promise<void> {
  const happened = commits.flatMap((commit) => commit.events.map(toEventDocument));
  if (happened.length > 0) await events.insertMany(happened, { session });
}

/** Returns options that read the counted tags of the previous version. */
function ofTags(session: ClientSession) {
  const projection = { tags: 1, is_deleted: 1 } as const;
  return { projection, returnDocument: 'before', session } as const;
}

function toReplyWrite(reply: Reply) {
  if (reply.version === 1) return { insertOne: { document: toReplyDocument(reply) } };
  const filter = { _id: { $eq: reply.id }, ticket_id: { $eq: reply.ticket_id } };
  return { replaceOne: { filter, replacement: toReplyDocument(reply), upsert: true } };
}

function toRemoval(ticketId: string, replyId: string) {
  return { deleteOne: { filter: { _id: { $eq: replyId }, ticket_id: { $eq: ticketId } } } };
}
