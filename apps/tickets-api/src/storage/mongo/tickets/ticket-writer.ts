import { isDuplicateKey } from '@keydesk/storage/mongo';
import { type ClientSession, type Model, trusted } from 'mongoose';
import { idInUse } from '../../../helpdesk/commit/idempotency.ts';
import type { CommitOutcome, TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import { noLongerChoosable } from '../../../helpdesk/definitions/conflicts.ts';
import type { Reply } from '../../../helpdesk/replies/reply.ts';
import {
  type DefinitionDocument,
  type DefinitionMarkDocument,
  findChoosable,
  markChosen,
} from '../catalogues/definitions.ts';
import { type GroupMember, rejected, type WriteGroup } from '../commit/commit-groups.ts';
import { findFirst, type RequestRecordDocument, writeRecords } from '../commit/commit-once.ts';
import { type EventDocument, toEventDocument } from '../commit/events.ts';
import { type ChangeDocument, createFeedWriter, type FeedDocument } from '../feed/changes.ts';
import { type ReplyDocument, toReplyDocument } from './replies.ts';
import { createRetiredIds, type RetiredIdDocument, type RetiredIds } from './retired-ids.ts';
import { countedTags, recountTags, type TagDocument, type TagStepsDocument } from './tags.ts';
import { createTextWriter, type TextDocument } from './texts.ts';
import { type TicketDocument, toTicketDocument } from './ticket-document.ts';
import { uniqueExternalId } from './ticket-indexes.ts';

/** Collections that a commit of tickets reads and writes. */
export interface TicketModels {
  tickets: Model<TicketDocument>;
  replies: Model<ReplyDocument>;
  texts: Model<TextDocument>;
  tags: Model<TagDocument>;
  tagSteps: Model<TagStepsDocument>;
  retiredIds: Model<RetiredIdDocument>;
  definitions: Model<DefinitionDocument>;
  definitionMarks: Model<DefinitionMarkDocument>;
  events: Model<EventDocument>;
  records: Model<RequestRecordDocument>;
  changes: Model<ChangeDocument>;
  feeds: Model<FeedDocument>;
}

type Outcome = PromiseSettledResult<CommitOutcome>;

/** Members of a stored ticket that a commit needs. */
type StoredTicket = Pick<TicketDocument, '_id' | 'version' | 'tags' | 'is_deleted'>;

/**
 * Creates the writer of a group, with a number of commands that does not depend on its size. Reads come first: they
 * decide, in the snapshot of the transaction, which members are written. A change by another transaction in the
 * meantime is a write conflict. A member is rejected with `id_in_use` when the id of a new ticket or reply is or was in
 * use, and with `validation_failed` when a chosen status, type or priority is removed or being replaced.
 */
export function createTicketWriter(models: TicketModels, clock: { now: () => Date }): WriteGroup {
  const retired = createRetiredIds(models);
  const check = createGroupCheck(models, retired);
  const writeTickets = createTicketsWriter(models, retired);
  const writeTexts = createTextWriter(models);
  const writeFeeds = createFeedWriter(models, clock);

  /** Writes everything that belongs to tickets. Sequential, because a transaction runs one command at a time. */
  async function writeBelongings(commits: readonly TicketCommit[], session: ClientSession): Promise<void> {
    await writeFeeds(commits, session);
    const kept = commits.filter(({ record }) => record !== undefined);
    await writeReplies(models.replies, kept, session);
    await retired.retireReplies(kept, session);
    await writeTexts(kept, session);
    await writeEvents(models.events, kept, session);
    // Last, because other tickets may share these marks.
    await markChosen(
      models,
      commits.flatMap(({ chosen = [] }) => chosen),
      session,
    );
  }

  return async (members, session, progress) => {
    const { outcomes, stored } = await check(members, session);
    const written = members.filter((_, i) => outcomes[i] === undefined);
    if (written.length > 0) {
      const requests = written.flatMap(({ request }) => request ?? []);
      progress.isAtKey = requests.length > 0;
      await writeRecords(models.records, requests, session);
      progress.isAtKey = false;
      const commits = written.flatMap((member) => member.commits);
      if (!(await writeTickets(commits, stored, session))) return await refuse(members, session);
      await writeBelongings(commits, session);
    }
    return outcomes.map((outcome) => outcome ?? fulfilled({ outcome: 'committed' }));
  };
}

/** Ends the transaction of a member whose external id another ticket has; a larger group fails and is split. */
async function refuse(members: readonly GroupMember[], session: ClientSession): Promise<Outcome[]> {
  if (members.length > 1) throw new Error('A ticket of the group is stale.');
  await session.abortTransaction();
  return [fulfilled({ outcome: 'stale' })];
}

/** Creates the check of a group: the outcomes of members that must not be written, and the stored tickets. */
function createGroupCheck(models: TicketModels, retired: RetiredIds) {
  async function findStored(commits: readonly TicketCommit[], session: ClientSession) {
    const ids = commits.filter(({ expectedVersion }) => expectedVersion !== undefined).map(({ id }) => id);
    if (ids.length === 0) return new Map<string, StoredTicket>();
    const members = { version: 1, tags: 1, is_deleted: 1 } as const;
    const found = await models.tickets.find({ _id: trusted({ $in: ids }) }, members, { session }).lean();
    return new Map(found.map((ticket) => [ticket._id, ticket as StoredTicket]));
  }

  return async (members: readonly GroupMember[], session: ClientSession) => {
    const firsts = await findFirst(
      models.records,
      members.map(({ request }) => request),
      session,
    );
    const commits = members.flatMap((member, i) => (firsts[i] ? [] : member.commits));
    const retiredIds = await retired.findChosen(commits, session);
    const isChoosable = await findChoosable(
      models,
      commits.flatMap(({ chosen = [] }) => chosen),
      session,
    );
    const stored = await findStored(commits, session);

    function checkCommit({ id, chosenId, chosen = [], expectedVersion, record }: TicketCommit) {
      if (chosenId !== undefined && retiredIds.has(chosenId)) return rejected(idInUse());
      const removed = chosen.find((ref) => !isChoosable(ref));
      if (removed) return rejected(noLongerChoosable(removed));
      const isStale = expectedVersion === undefined ? !record : stored.get(id)?.version !== expectedVersion;
      return isStale ? fulfilled({ outcome: 'stale' }) : undefined;
    }

    const outcomes = members.map((member, i): Outcome | undefined => {
      const first = firsts[i];
      return first
        ? fulfilled(first)
        : member.commits.map(checkCommit).find((outcome) => outcome !== undefined);
    });
    return { outcomes, stored };
  };
}

function fulfilled(value: CommitOutcome): PromiseFulfilledResult<CommitOutcome> {
  return { status: 'fulfilled', value };
}

/** Writes tickets and counts their tags. Resolves to `false` if another ticket has an external id. */
function createTicketsWriter(models: TicketModels, retired: RetiredIds) {
  const { tickets, replies, texts, events, records, tagSteps } = models;

  async function purge(id: string, session: ClientSession): Promise<void> {
    const ofTicket = { ticket_id: { $eq: id } };
    await retired.retireTicket(id, session);
    await replies.deleteMany(ofTicket, { session });
    await texts.deleteOne({ _id: { $eq: id } }, { session });
    await events.deleteMany(ofTicket, { session });
    await records.deleteMany(ofTicket, { session });
  }

  return async (
    commits: readonly TicketCommit[],
    stored: ReadonlyMap<string, StoredTicket>,
    session: ClientSession,
  ): Promise<boolean> => {
    const writes = commits.map(toTicketWrite);
    try {
      const written = await tickets.bulkWrite(writes as never, { session });
      const count = written.insertedCount + written.matchedCount + written.deletedCount;
      if (count !== commits.length) return false;
    } catch (err) {
      if (isDuplicateKey(err, uniqueExternalId.name)) return false;
      throw isDuplicateKey(err, '_id_') ? idInUse(err) : err;
    }
    const differences = commits.map(({ id, record }) => ({
      before: countedTags(stored.get(id) ?? null),
      after: countedTags(record ? toTicketDocument(record) : null),
    }));
    await recountTags(tagSteps, differences, session);
    for (const { id, record } of commits) if (!record) await purge(id, session);
    return true;
  };
}

function toTicketWrite({ id, expectedVersion, record }: TicketCommit) {
  const filter = { _id: { $eq: id }, version: { $eq: expectedVersion } };
  if (!record) return { deleteOne: { filter } };
  const document = toTicketDocument(record);
  return expectedVersion === undefined
    ? { insertOne: { document } }
    : { replaceOne: { filter, replacement: document } };
}

async function writeReplies(
  replies: Model<ReplyDocument>,
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
  events: Model<EventDocument>,
  commits: readonly TicketCommit[],
  session: ClientSession,
): Promise<void> {
  const happened = commits.flatMap((commit) => commit.events.map(toEventDocument));
  if (happened.length > 0) await events.insertMany(happened, { session });
}

function toReplyWrite(reply: Reply) {
  if (reply.version === 1) return { insertOne: { document: toReplyDocument(reply) } };
  const filter = { _id: { $eq: reply.id }, ticket_id: { $eq: reply.ticket_id } };
  return { replaceOne: { filter, replacement: toReplyDocument(reply), upsert: true } };
}

function toRemoval(ticketId: string, replyId: string) {
  return { deleteOne: { filter: { _id: { $eq: replyId }, ticket_id: { $eq: ticketId } } } };
}
