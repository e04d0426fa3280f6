import { assertChoosable } from '../definitions/choosable.ts';
import { withCheckedValues } from '../fields/check-values.ts';
import { findLinked, toUnlinked } from '../links/link-changes.ts';
import type { People } from '../people/people.ts';
import { toChangeAuthor, type Viewer } from '../people/viewer.ts';
import { assertRight } from '../roles/right.ts';
import { toHiddenFields } from '../tickets/customer-view.ts';
import type { ToChanges } from '../tickets/edits.ts';
import { assertExternalId, toClaimant } from '../tickets/external-id.ts';
import { referToPeople } from '../tickets/people-of-ticket.ts';
import { assertMayChange, assertStaff, pickDifferent } from '../tickets/permissions.ts';
import type { Ticket, TicketFields } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import type { ChangeOutcome, Tickets, TicketsDeps } from '../tickets/tickets.ts';
import {
  assertExpected,
  getEvenDeleted,
  getVisible,
  toTicketView,
  toVisibleAnswer,
} from '../tickets/visibility.ts';
import { assertNotClosed, moveTo } from '../tickets/workflow.ts';
import type { RepeatableRequest } from './idempotency.ts';
import type { TicketRecord } from './ticket-commit.ts';
import type { Plan } from './ticket-writer.ts';
import type { TicketChange } from './to-commit.ts';

/** Operations on existing tickets. */
export function createTicketChanges({
  store,
  writer,
  people,
}: Pick<TicketsDeps, 'store' | 'writer' | 'people'>): Pick<
  Tickets,
  'change' | 'remove' | 'restore' | 'purge'
> {
  /** Plans and commits a change of one ticket; answers the viewer's view after it, or before a purge. */
  async function commitChange(
    viewer: Viewer,
    ticketIds: readonly string[],
    requests: readonly RepeatableRequest[] | undefined,
    toChanges: (now: Date) => Promise<ExistingTicketChange | [ExistingTicketChange, ...TicketChange[]]>,
  ): Promise<ChangeOutcome> {
    const decide = async (now: Date): Promise<Plan<Ticket>> => {
      const [change, ...others] = [await toChanges(now)].flat() as [ExistingTicketChange, ...TicketChange[]];
      const toAnswer = ([record]: readonly (TicketRecord | undefined)[]) =>
        toTicketView(viewer, record ?? change.before);
      return { changes: [change, ...others], by: toChangeAuthor(viewer), toAnswer };
    };
    return toVisibleAnswer(people, viewer, await writer.commitPlan(ticketIds, decide, requests));
  }

  return {
    change: (viewer, id, toChanges, precondition, requests, isUnique = false) =>
      commitChange(viewer, [id], requests, async (now) => {
        const before = assertExpected(viewer, await getVisible(store, viewer, id), precondition);
        if (isUnique) assertStaff(viewer, 'set external ids');
        const after = await applyChanges({ store, people, viewer, isUnique }, before, toChanges, now);
        return { before, after, claimant: toClaimant(viewer, isUnique, after) };
      }),
    remove: async (viewer, id, precondition, requests) =>
      commitChange(viewer, await findLinked(store, id), requests, async (now) => {
        const before = assertExpected(viewer, await getVisible(store, viewer, id), precondition);
        assertStaff(viewer, 'delete tickets');
        const after = { ...before.ticket, links: [], deleted_at: now.toISOString() };
        return [{ before, after }, ...(await toUnlinked(store, before.ticket))];
      }),
    restore: (viewer, id, precondition, requests) =>
      commitChange(viewer, [id], requests, async () => {
        const before = assertExpected(viewer, await getEvenDeleted(store, viewer, id), precondition);
        assertStaff(viewer, 'restore tickets');
        return { before, after: { ...before.ticket, deleted_at: null } };
      }),
    purge: async (viewer, id, precondition) =>
      commitChange(viewer, await findLinked(store, id), undefined, async () => {
        const before = assertExpected(viewer, await getEvenDeleted(store, viewer, id), precondition);
        assertRight(viewer, 'purge_tickets');
        return [{ before, after: undefined }, ...(await toUnlinked(store, before.ticket))];
      }),
  };
}

/** A change of an existing ticket. */
interface ExistingTicketChange extends TicketChange {
  before: TicketRecord;
}

interface ChangeDeps {
  store: Pick<TicketStore, 'findByExternalId'>;
  people: People;
  viewer: Viewer;
  /** Whether the external id must be unique within the client from now on. */
  isUnique?: boolean;
}

/**
 * Applies the changes of a request to a ticket. A closed ticket accepts only a change that leaves it as it is.
 *
 * @throws {AppError} as `Tickets.change`
 */
export async function applyChanges(
  { store, people, viewer, isUnique = false }: ChangeDeps,
  before: TicketRecord,
  toChanges: ToChanges,
  now: Date,
): Promise<Ticket> {
  const { ticket } = before;
  const view = toTicketView(viewer, before);
  const changes = toChanges(view);
  assertMayChange(viewer, changes, view);
  const fields = pickDifferent(await referToPeople(changes, { people, viewer, current: before }), ticket);
  const isSame = Object.keys(fields).length === 0;
  if (!isSame) assertNotClosed(ticket);
  assertChoosable(viewer.definitions, fields);
  const after = isSame ? ticket : withCheckedValues(viewer, ticket, applyFields(viewer, ticket, fields, now));
  await assertExternalId(store, { before, after, claimant: toClaimant(viewer, isUnique, after) });
  return after;
}

/** Applies writable fields; custom fields hidden from customers keep their values when a customer writes the others. */
function applyFields(
  viewer: Viewer,
  ticket: Ticket,
  { status, ...fields }: Partial<TicketFields>,
  now: Date,
): Ticket {
  const custom_fields =
    viewer.isStaff || !fields.custom_fields
      ? fields.custom_fields
      : { ...toHiddenFields(ticket.custom_fields, viewer.fields), ...fields.custom_fields };
  const changed = { ...ticket, ...fields, ...(custom_fields && { custom_fields }) };
  return status === undefined ? changed : moveTo(viewer.definitions, changed, status, now);
}
