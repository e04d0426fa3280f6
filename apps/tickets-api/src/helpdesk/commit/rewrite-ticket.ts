import { isDeepStrictEqual } from 'node:util';
import { changesAccess, toFeedEntries } from '../feed/feed-entries.ts';
import type { FieldSet } from '../fields/field-set.ts';
import type { EventRecord } from '../history/audit-event.ts';
import { toFieldChanges, toPublicFieldChanges } from '../history/field-changes.ts';
import { findStaff } from '../people/person-record.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { ChangeAuthor } from '../people/viewer.ts';
import { loadAllReplies } from '../replies/load-all-replies.ts';
import { type Reply, withMaskedAuthor } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { listShownPeople, nextRecord } from '../tickets/ticket-record.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { toChangeTime } from './change-time.ts';
import type { TicketCommit, TicketRecord } from './ticket-commit.ts';

export interface RewriteDeps {
  tickets: Pick<TicketStore, 'find' | 'commit'>;
  replies: Pick<ReplyStore, 'list'>;
  people: Pick<PersonStore, 'findAll'>;
  now: () => Date;
  newId: () => string;
}

/** A change of a ticket and all its replies at once that no request makes, such as an erasure. */
export interface Rewriting {
  /** Changes the ticket and each reply; absent if only the marks of people who became staff change. */
  rewrite?: <Content extends Ticket | Reply>(content: Content) => Content;
  by: ChangeAuthor;
  /** The definitions that decide which custom fields customers see. */
  fields: FieldSet;
  /** Whether the event lists the changes; it must not repeat what an erasure or a masking hides. */
  listsChanges: boolean;
}

/**
 * Rewrites a ticket and its replies in one commit with one event, and retries after a concurrent change. Resolves with
 * whether anything changed.
 */
export async function rewriteTicket(
  deps: RewriteDeps,
  rewriting: Rewriting,
  ticketId: string,
): Promise<boolean> {
  for (;;) {
    const before = await deps.tickets.find(ticketId);
    const commit = before && (await toCommit(deps, rewriting, before));
    if (!commit) return false;
    if ((await deps.tickets.commit([commit])).outcome !== 'stale') return true;
  }
}

/** Builds the commit; `undefined` when nothing would change. */
async function toCommit(
  { replies: store, people, now, newId }: RewriteDeps,
  { rewrite = (content) => content, by, fields, listsChanges }: Rewriting,
  before: TicketRecord,
): Promise<TicketCommit | undefined> {
  const { ticket } = before;
  const at = now();
  const content = rewrite(ticket);
  const replies = await loadAllReplies(store, ticket.id);
  const rewritten = replies.map(rewrite);
  const staff = await findStaff(people, [...listShownPeople(content), ...rewritten.flatMap(authorOf)]);
  const writtenReplies = replies.flatMap((reply, i) =>
    toRewritten(reply, withMaskedAuthor(rewritten[i] as Reply, staff), at),
  );
  const isPublicReply = writtenReplies.some(({ visibility }) => visibility === 'public');
  const record = nextRecord(before, content, { now: at, isPublicReply, fields, staff });
  const isSame = isDeepStrictEqual([content, record.staffIds], [ticket, before.staffIds]);
  if (isSame && writtenReplies.length === 0) return undefined;
  const written = new Set(writtenReplies.map(({ id }) => id));
  const hasOtherAudience = changesAccess({ before, after: record });
  const difference = {
    id: ticket.id,
    before,
    after: record,
    writtenReplies,
    removedReplies: [],
    otherReplies: hasOtherAudience ? replies.filter(({ id }) => !written.has(id)) : [],
  };
  const event = toEvent(by, { ticketId: ticket.id, id: newId(), at });
  return {
    id: ticket.id,
    expectedVersion: ticket.version,
    record,
    writtenReplies,
    events: [listsChanges ? withChanges(event, before, record, fields) : event],
    feedEntries: toFeedEntries(difference),
  };
}

function authorOf({ author }: Reply): string[] {
  return author.type === 'person' && author.id !== null ? [author.id] : [];
}

function toRewritten(before: Reply, after: Reply, now: Date): Reply[] {
  if (isDeepStrictEqual(before, after)) return [];
  const updated_at = toChangeTime(before.updated_at, { createdAt: before.created_at, now });
  return [Object.freeze({ ...after, updated_at, version: before.version + 1 })];
}

function toEvent(
  by: ChangeAuthor,
  { ticketId, id, at }: { ticketId: string; id: string; at: Date },
): EventRecord {
  return {
    event: {
      id,
      ticket_id: ticketId,
      reply_id: null,
      type: 'ticket.changed',
      actor: by.actor,
      client_id: by.clientId,
      changes: [],
      created_at: at.toISOString(),
    },
  };
}

function withChanges(
  { event }: EventRecord,
  before: TicketRecord,
  after: TicketRecord,
  fields: FieldSet,
): EventRecord {
  const publicChanges = toPublicFieldChanges(before, after, fields);
  return { event: { ...event, changes: [...toFieldChanges(before.ticket, after.ticket)] }, publicChanges };
}
