import { AppError } from '@keydesk/errors';
import { staleVersion } from '../../wire/schema/read-only.ts';
import type { ChangeResult } from '../commit/replay.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { People } from '../people/people.ts';
import type { Viewer } from '../people/viewer.ts';
import { toCustomerContent, toCustomerView } from './customer-view.ts';
import { assertStaff } from './permissions.ts';
import { listReaders, type Ticket } from './ticket.ts';
import { listShownPeople } from './ticket-record.ts';
import type { TicketStore } from './ticket-store.ts';
import type { ChangeOutcome, Precondition } from './tickets.ts';

/** Whether the viewer may see the ticket; always `false` for a deleted ticket. */
export function canSee({ isStaff, person }: Viewer, { ticket }: TicketRecord): boolean {
  if (ticket.deleted_at !== null) return false;
  return isStaff || (person !== undefined && listReaders(ticket).includes(person.id));
}

/** Returns the viewer's view of a ticket. */
export function toTicketView({ isStaff, fields, person }: Viewer, record: TicketRecord): Ticket {
  return isStaff ? record.ticket : toCustomerView(record, fields, person?.id);
}

/**
 * Returns the answer to a change as the viewer may see it now. A replayed answer may be older than the moment when a
 * field was hidden from customers or a person on the ticket became staff.
 */
export async function toVisibleAnswer(
  people: Pick<People, 'findStaff'>,
  viewer: Viewer,
  { answer, ...result }: ChangeResult<Ticket>,
): Promise<ChangeOutcome> {
  if (viewer.isStaff || !result.isReplayed) return { ticket: answer, ...result };
  const staff = await people.findStaff(listShownPeople(answer));
  const staffIds = [...staff].filter((id) => id !== viewer.person?.id);
  return { ticket: toCustomerContent({ ticket: answer, staffIds }, viewer.fields), ...result };
}

/** @throws {AppError} `not_found` when the viewer may not see the ticket; the error text for staff mentions a deletion */
export async function getVisible(
  store: Pick<TicketStore, 'find'>,
  viewer: Viewer,
  id: string,
): Promise<TicketRecord> {
  const record = await store.find(id);
  if (record && canSee(viewer, record)) return record;
  throw record && viewer.isStaff ? deletedTicket(id) : noSuchTicket();
}

/** Returns a ticket that the viewer sees, or for staff also a deleted one. @throws {AppError} `not_found` */
export async function getEvenDeleted(
  store: Pick<TicketStore, 'find'>,
  viewer: Viewer,
  id: string,
): Promise<TicketRecord> {
  const record = await store.find(id);
  if (!record || !(viewer.isStaff || canSee(viewer, record))) throw noSuchTicket();
  return record;
}

/**
 * Returns a ticket for reading; a deleted ticket only with `isDeleted`.
 *
 * @throws {AppError} `not_found`; `forbidden` when customers request deleted tickets
 */
export async function getReadable(
  store: Pick<TicketStore, 'find'>,
  viewer: Viewer,
  { id, isDeleted = false }: { id: string; isDeleted?: boolean | undefined },
): Promise<TicketRecord> {
  if (!isDeleted) return getVisible(store, viewer, id);
  assertStaff(viewer, 'read deleted tickets');
  return getEvenDeleted(store, viewer, id);
}

/**
 * Returns the record if it satisfies the precondition of the request.
 *
 * @throws {AppError} `precondition_failed` with the ticket as the viewer sees it
 */
export function assertExpected(
  viewer: Viewer,
  record: TicketRecord,
  precondition: Precondition,
): TicketRecord {
  const view = toTicketView(viewer, record);
  if (!precondition(view)) throw staleVersion(view, 'ticket');
  return record;
}

function deletedTicket(id: string): AppError {
  return new AppError(
    'not_found',
    `The ticket is deleted; read it with deleted=true, or restore it with POST /ticket/${id}/restore.`,
  );
}

function noSuchTicket(): AppError {
  return new AppError('not_found', 'There is no ticket with this id.');
}
