import { AppError } from '@keydesk/errors';
import { staleVersion } from '../../wire/schema/read-only.ts';
import { toChangeTime } from '../commit/change-time.ts';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import type { ChangeResult } from '../commit/replay.ts';
import type { Plan, TicketWriter } from '../commit/ticket-writer.ts';
import { countMembers, type Total } from '../list/total.ts';
import type { People } from '../people/people.ts';
import { toChangeAuthor, type Viewer } from '../people/viewer.ts';
import { recount } from '../tickets/conversation.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import type { Precondition as TicketPrecondition } from '../tickets/tickets.ts';
import { assertExpected, getReadable, getVisible } from '../tickets/visibility.ts';
import { assertNotClosed } from '../tickets/workflow.ts';
import type { NewReply, ToBody } from './edits.ts';
import { walkReplies } from './load-all-replies.ts';
import { assertMayEdit, canSeeReply, toReplyView } from './permissions.ts';
import { planAddition } from './plan-addition.ts';
import type { Reply } from './reply.ts';
import type { ReplyQuery, ReplyStore } from './reply-store.ts';

export interface RepliesDeps {
  tickets: Pick<TicketStore, 'find'>;
  store: ReplyStore;
  writer: TicketWriter;
  people: People;
  newId: () => string;
  /** Minutes in which authors may edit and remove their replies. */
  editMinutes: number;
}

/** Whether the stored version is the one that the viewer wants to change. */
export type Precondition = (version: number) => boolean;

export interface ReplyPage {
  replies: readonly Reply[];
  hasMore: boolean;
}

/** Reply and ticket in a path. */
export interface ReplyPath {
  ticketId: string;
  id: string;
  /** Whether to read a reply of a deleted ticket. */
  isDeleted?: boolean;
}

/** Operations on replies. All of them throw `AppError('not_found')` for a reply or ticket that the viewer can't see. */
export interface Replies {
  /**
   * Adds a reply and changes its ticket: a customer's reply reopens it, and staff may set its status.
   *
   * @param precondition of the ticket
   * @throws {AppError} `precondition_failed` with the current ticket, `forbidden`, `ticket_closed`,
   * `transition_not_allowed`, `idempotency_mismatch`, `id_in_use`
   */
  add(
    viewer: Viewer,
    ticketId: string,
    input: NewReply,
    precondition: TicketPrecondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeResult<Reply>>;
  get(viewer: Viewer, path: ReplyPath): Promise<Reply>;
  list(viewer: Viewer, query: Omit<ReplyQuery, 'isPublicOnly'> & { isDeleted: boolean }): Promise<ReplyPage>;
  /** Returns the number of replies on all pages of a list. */
  count(viewer: Viewer, query: Pick<ReplyQuery, 'ticketId'> & { isDeleted: boolean }): Promise<Total>;
  /**
   * Edits a reply.
   *
   * @throws {AppError} `forbidden`, `precondition_failed`, `ticket_closed`, `idempotency_mismatch`, and the errors of
   * `toBody`
   */
  change(
    viewer: Viewer,
    path: ReplyPath,
    toBody: ToBody,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeResult<Reply>>;
  /** Removes a reply and returns its last state. @throws {AppError} as `change` */
  remove(
    viewer: Viewer,
    path: ReplyPath,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeResult<Reply>>;
}

export function createReplies({ tickets, store, writer, people, newId, editMinutes }: RepliesDeps): Replies {
  async function find(viewer: Viewer, { ticketId, id, isDeleted }: ReplyPath): Promise<Reply> {
    await getReadable(tickets, viewer, { id: ticketId, isDeleted });
    const reply = await store.find(ticketId, id);
    if (reply && canSeeReply(viewer, reply)) return reply;
    throw new AppError('not_found', 'There is no reply with this id.');
  }

  /** Commits a plan; the answer is the viewer's view of the reply. */
  async function commitFor(viewer: Viewer, ...plan: Parameters<typeof writer.commitPlan<Reply>>) {
    const result = await writer.commitPlan(...plan);
    return { ...result, answer: toReplyView(viewer, result.answer) };
  }

  /** Reads, checks and changes one reply in one transaction. */
  function commitChange(
    viewer: Viewer,
    path: ReplyPath,
    precondition: Precondition,
    requests: readonly RepeatableRequest[] | undefined,
    toReply: (current: Reply, now: Date) => Reply | undefined,
  ): Promise<ChangeResult<Reply>> {
    const decide = async (now: Date) => {
      const before = await getVisible(tickets, viewer, path.ticketId);
      const current = await find(viewer, path);
      if (!precondition(current.version)) throw staleVersion(toReplyView(viewer, current), 'reply');
      assertMayEdit(viewer, current, { now, editMinutes });
      assertNotClosed(before.ticket);
      const after = toReply(current, now);
      const reply = after === current ? undefined : { before: current, after };
      const ticket = after ? before.ticket : await withoutReply(store, before.ticket, current);
      return toPlan(viewer, { before, after: ticket, reply }, after ?? current);
    };
    return commitFor(viewer, [path.ticketId], decide, requests);
  }

  return {
    get: async (viewer, path) => toReplyView(viewer, await find(viewer, path)),
    add(viewer, ticketId, input, precondition, requests) {
      const decide = async (now: Date) => {
        const before = assertExpected(viewer, await getVisible(tickets, viewer, ticketId), precondition);
        const addition = await planAddition({ people, newId }, viewer, before, input, now);
        return toPlan(viewer, addition, addition.reply.after);
      };
      return commitFor(viewer, [ticketId], decide, requests);
    },
    async list(viewer, { isDeleted, ...query }) {
      await getReadable(tickets, viewer, { id: query.ticketId, isDeleted });
      const found = await store.list({ ...query, isPublicOnly: !viewer.isStaff, limit: query.limit + 1 });
      const page = found.slice(0, query.limit).map((reply) => toReplyView(viewer, reply));
      return { replies: page, hasMore: found.length > query.limit };
    },
    async count(viewer, { ticketId, isDeleted }) {
      await getReadable(tickets, viewer, { id: ticketId, isDeleted });
      const isPublicOnly = !viewer.isStaff;
      return countMembers((limit) => store.count({ ticketId, isPublicOnly, limit }));
    },
    change: (viewer, path, toBody, precondition, requests) =>
      commitChange(viewer, path, precondition, requests, (current, now) =>
        withBody(current, toBody(toReplyView(viewer, current)), now),
      ),
    remove: (viewer, path, precondition, requests) =>
      commitChange(viewer, path, precondition, requests, () => undefined),
  };
}

/**
 * Returns the ticket with its counts and times without a removed reply. The ticket was read before its replies, so the
 * check of its version covers them.
 */
async function withoutReply(
  store: Pick<ReplyStore, 'list'>,
  ticket: Ticket,
  { id, visibility }: Reply,
): Promise<Ticket> {
  if (visibility !== 'public') return ticket;
  return recount(ticket, walkReplies(store, ticket.id, id));
}

function toPlan(viewer: Viewer, change: Plan<Reply>['changes'][number], answer: Reply): Plan<Reply> {
  return { changes: [change], by: toChangeAuthor(viewer), toAnswer: () => answer };
}

function withBody(reply: Reply, body: string, now: Date): Reply {
  if (body === reply.body) return reply;
  const updated_at = toChangeTime(reply.updated_at, { createdAt: reply.created_at, now });
  return Object.freeze({ ...reply, body, updated_at, version: reply.version + 1 });
}
