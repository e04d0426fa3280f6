import { isDeepStrictEqual } from 'node:util';
import { findNewlyChosen } from '../definitions/choosable.ts';
import { changesAccess, type TicketDifference, toFeedEntries } from '../feed/feed-entries.ts';
import type { FieldSet } from '../fields/field-set.ts';
import type { EventDraft, EventRecord, StoredEvent } from '../history/audit-event.ts';
import { toFieldChanges, toPublicFieldChanges } from '../history/field-changes.ts';
import type { ChangeAuthor } from '../people/viewer.ts';
import type { ReplyTrace } from '../replies/load-all-replies.ts';
import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { firstRecord, nextRecord } from '../tickets/ticket-record.ts';
import type { TicketCommit, TicketRecord } from './ticket-commit.ts';

/** A change of one ticket. */
export interface TicketChange {
  /** `undefined` for a new ticket. */
  before?: TicketRecord | undefined;
  /** The changed ticket, with version and time of change not yet set. `undefined` purges it. */
  after: Ticket | undefined;
  reply?: ReplyChange | undefined;
  /** The id of the new ticket or reply if the client chose it. */
  chosenId?: string | undefined;
  /** The client within which the external id must be unique from now on. */
  claimant?: string | undefined;
}

/** Context in which changes become commits: author, time, ids and definitions. */
export interface CommitContext {
  by: ChangeAuthor;
  now: Date;
  newId: () => string;
  /** The definitions that decide which custom fields customers see. */
  fields: FieldSet;
  /** Ids of people who are or were staff; covers at least the people new to the ticket. */
  staff: ReadonlySet<string>;
  /** Loads all replies of a ticket; called only when a reader gains or loses access to it. */
  loadReplies: (ticketId: string) => Promise<readonly ReplyTrace[]>;
}

/** Whether the change would change nothing. */
export function isNoOp({ before, after, reply, claimant }: TicketChange): boolean {
  if (reply !== undefined || before === undefined) return false;
  const isClaimed = claimant === undefined || claimant === before.externalIdClient;
  return isClaimed && isDeepStrictEqual(before.ticket, after);
}

/** Builds the commit of a change: the next version, its events and its feed entries. */
export async function toCommit(change: TicketChange, context: CommitContext): Promise<TicketCommit> {
  const { before, reply } = change;
  const record = toRecord(change, context);
  const id = (record ?? before)?.ticket.id ?? '';
  const hasOtherAudience = before !== undefined && changesAccess({ before, after: record });
  const difference: TicketDifference = {
    id,
    before,
    after: record,
    writtenReplies: reply?.after ? [reply.after] : [],
    removedReplies: reply?.before && !reply.after ? [reply.before] : [],
    otherReplies: hasOtherAudience ? await context.loadReplies(id) : [],
  };
  return {
    id,
    expectedVersion: before?.ticket.version,
    record,
    chosenId: change.chosenId,
    chosen: findNewlyChosen(before?.ticket, record?.ticket),
    writtenReplies: difference.writtenReplies,
    removedReplies: difference.removedReplies.map((removed) => removed.id),
    events: record ? toEvents(change, record, context) : [],
    feedEntries: toFeedEntries(difference),
  };
}

function toRecord(
  { before, after, reply, claimant }: TicketChange,
  { now, fields, staff }: CommitContext,
): TicketRecord | undefined {
  if (!after) return undefined;
  if (!before) return firstRecord(after, { claimant, staff });
  const isPublicReply = (reply?.after ?? reply?.before)?.visibility === 'public';
  return nextRecord(before, after, { now, isPublicReply, fields, claimant, staff });
}

function toEvents(
  change: TicketChange,
  record: TicketRecord,
  context: CommitContext,
): readonly EventRecord[] {
  const { by, now, newId, fields } = context;
  const told = [
    ...(change.reply ? [describeReplyChange(change.reply)] : []),
    ...describeTicketChange(change.before, record, fields),
  ];
  return told.map(({ type, reply_id = null, changes, publicChanges }) => ({
    event: {
      id: newId(),
      ticket_id: record.ticket.id,
      reply_id,
      type,
      actor: by.actor,
      client_id: by.clientId,
      changes: [...changes],
      created_at: now.toISOString(),
    },
    publicChanges,
  }));
}

/** Describes a change of fields. Creation lists no values because later changes record what they replace. */
function describeTicketChange(
  before: TicketRecord | undefined,
  after: TicketRecord,
  fields: FieldSet,
): readonly EventDraft[] {
  if (!before) return [{ type: 'ticket.created', changes: [], publicChanges: [] }];
  const changes = [...toFieldChanges(before.ticket, after.ticket)];
  if (changes.length === 0) return [];
  const publicChanges = toPublicFieldChanges(before, after, fields);
  return [{ type: typeOf(before.ticket, after.ticket), changes, publicChanges }];
}

function typeOf(before: Ticket, after: Ticket): StoredEvent['type'] {
  if (before.deleted_at === after.deleted_at) return 'ticket.changed';
  return after.deleted_at === null ? 'ticket.restored' : 'ticket.deleted';
}

/** Change of a reply: without `before` it is added, without `after` removed. */
export type ReplyChange =
  | { before?: undefined; after: Reply }
  | { before: Reply; after: Reply }
  | { before: Reply; after?: undefined };

/**
 * Returns the event of a change. Staff see the earlier text of an edited or removed reply. Customers see only that a
 * public reply was edited or removed, because they must not read the withdrawn text again.
 */
function describeReplyChange({ before, after }: ReplyChange): EventDraft {
  const { id, visibility } = (after ?? before) as Reply;
  return {
    type: before === undefined ? 'reply.added' : after === undefined ? 'reply.removed' : 'reply.changed',
    reply_id: id,
    changes: before ? [{ field: 'body', from: before.body, to: after?.body ?? null }] : [],
    publicChanges: visibility === 'public' ? [] : undefined,
  };
}
