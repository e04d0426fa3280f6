import { invalidMember } from '../../wire/validation-errors.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { People } from '../people/people.ts';
import { type PersonReference, toReference } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertNotClosed } from '../tickets/workflow.ts';
import { answerTicket, isIncoming } from './answer-ticket.ts';
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
  const message = 'must not be true: only a public reply of staff counts';
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
