import { invalidMember } from '../../wire/faults/validation-errors.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import { assertChoosable } from '../definitions/choosable.ts';
import { withCheckedValues } from '../fields/check-values.ts';
import type { People } from '../people/people.ts';
import { type PersonReference, toReference } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertRight } from '../roles/right.ts';
import { type Message, withReply } from '../tickets/conversation.ts';
import { assertMayChange } from '../tickets/permissions.ts';
import { listReaders, type Ticket } from '../tickets/ticket.ts';
import { assertNotClosed, moveTo, reopen } from '../tickets/workflow.ts';
import type { NewReply } from './edits.ts';
import { assertMayReply } from './permissions.ts';
import { type Reply, withMaskedAuthor } from './reply.ts';

export interface AdditionDeps {
  people: Pick<People, 'refer'>;
  newId: () => string;
}

/** Plans the addition of a reply and the change of its ticket. */
export async function planAddition(
  { people, newId }: AdditionDeps,
  viewer: Viewer,
  before: TicketRecord,
  input: NewReply,
  now: Date,
) {
  assertMayReply(viewer, input);
  assertNotClosed(before.ticket);
  const author = input.author
    ? toAuthor(await people.refer(viewer, input.author, 'author'))
    : authorOf(viewer);
  const incoming = isIncoming(before.ticket, { viewer, author });
  const counts_as_reply = countsAsReply(viewer, input, incoming);
  const [id, ticket_id] = [input.id ?? newId(), before.ticket.id];
  const written = createReply(input, { id, ticket_id, author, incoming, counts_as_reply }, now);
  // The author of a reply from the customer's side is on the ticket.
  const reply = withMaskedAuthor(written, new Set(before.staffIds));
  const after = answerTicket(before.ticket, reply, { viewer, status: input.status, now });
  return { before, after, reply: { after: reply }, chosenId: input.id };
}

/** Returns the author; a client that acts for itself is the author in its own name. */
function authorOf({ person, clientId }: Viewer): Reply['author'] {
  return person ? toAuthor(toReference(person)) : { type: 'client', id: clientId, email: null, name: null };
}

function toAuthor(reference: PersonReference): Reply['author'] {
  return { type: 'person', ...reference };
}

/**
 * Whether a reply counts as a reply to the customer. A machine has to say so, because its reply may be a receipt.
 *
 * @throws {AppError} `validation_failed` for a reply that can't count
 */
function countsAsReply(
  { person }: Viewer,
  { visibility, counts_as_reply: given }: NewReply,
  incoming: boolean,
): boolean {
  const isAnswer = visibility === 'public' && !incoming;
  if (given !== true || isAnswer) return isAnswer && (given ?? person !== undefined);
  const message = 'must not be true: only a public reply from staff counts';
  throw invalidMember('counts_as_reply', message);
}

function createReply(
  { visibility, body }: NewReply,
  { id, ticket_id, ...origin }: Pick<Reply, 'id' | 'ticket_id' | 'author' | 'incoming' | 'counts_as_reply'>,
  now: Date,
): Reply {
  const at = now.toISOString();
  const written = { id, ticket_id, visibility, ...origin, body };
  return Object.freeze({ ...written, created_at: at, updated_at: at, version: 1 });
}

interface Writing {
  viewer: Viewer;
  /** Status that the reply sets. */
  status: Ticket['status'] | undefined;
  now: Date;
}

/**
 * Returns the ticket after a reply. The reply sets the requested status; without one, a reply by a customer reopens the
 * ticket. The time of the first reply that counts as one is recorded.
 *
 * @throws {AppError} `forbidden`, `transition_not_allowed`, `validation_failed` when a required field has no value
 */
function answerTicket(ticket: Ticket, reply: Message, { viewer, status, now }: Writing): Ticket {
  const isPublic = reply.visibility === 'public';
  const isFirst = reply.counts_as_reply && ticket.first_replied_at === null;
  const noted = isFirst ? { ...ticket, first_replied_at: now.toISOString() } : ticket;
  if (status !== undefined) {
    assertMayChange(viewer, { status }, ticket);
    if (status !== ticket.status) assertChoosable(viewer.definitions, { status });
    const moved = moveTo(viewer.definitions, noted, status, now);
    return withReply(withCheckedValues(viewer, ticket, moved), reply);
  }
  if (!viewer.isStaff && ticket.status_category === 'solved') {
    assertRight(viewer, 'reopen_tickets', ' With the status that the ticket has, a reply leaves it solved.');
  }
  return withReply(isPublic && reply.incoming ? reopen(noted, now) : noted, reply);
}

/**
 * Whether a reply comes from the customer's side, such as one that a mail gateway adds on behalf of a person on the
 * ticket.
 */
function isIncoming(
  ticket: Ticket,
  { viewer, author }: { viewer: Viewer; author: Reply['author'] },
): boolean {
  if (!viewer.isStaff) return true;
  if (author.type !== 'person' || author.id === null || author.id === viewer.person?.id) return false;
  return listReaders(ticket).includes(author.id);
}
