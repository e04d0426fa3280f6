import { settleValues } from '../fields/settle-values.ts';
import type { Person, PersonReference } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertMayChange } from '../tickets/permissions.ts';
import { readersOf } from '../tickets/readers.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { moveTo, reopen } from '../tickets/workflow.ts';
import type { NewReply } from './edits.ts';

interface Writing {
  viewer: Viewer;
  /** Of the viewer. */
  person: Person | undefined;
  author: PersonReference | null;
  now: Date;
}

/**
 * What a reply does to its ticket: it sets the status that it carries; without one, a customer's reopens the ticket.
 * The first public reply of staff is noted.
 *
 * @throws {AppError} `forbidden`, `transition_not_allowed`, `validation_failed` when a field must have a value first
 */
export function answerTicket(
  ticket: Ticket,
  { visibility, status }: Pick<NewReply, 'visibility' | 'status'>,
  writing: Writing,
): Ticket {
  const { viewer, now } = writing;
  const isPublic = visibility === 'public';
  const isCustomers = isFromCustomer(ticket, writing);
  const isFirst = isPublic && !isCustomers && ticket.first_replied_at === null;
  const noted = isFirst ? { ...ticket, first_replied_at: now.toISOString() } : ticket;
  if (status !== undefined) {
    assertMayChange(viewer, { status }, ticket);
    return settleValues(viewer, ticket, moveTo(noted, status, now));
  }
  return isPublic && isCustomers ? reopen(noted, now) : noted;
}

/** Staff who write on behalf of somebody on the ticket, as a program does that receives mail, pass on what they said. */
function isFromCustomer(ticket: Ticket, { viewer, person, author }: Writing): boolean {
  if (!viewer.isStaff) return true;
  return author !== null && author.id !== person?.id && readersOf(ticket).includes(author.id);
}
