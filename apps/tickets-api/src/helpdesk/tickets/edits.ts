import { type Body, createInputParser, type FindFaults } from '../../wire/input/input.ts';
import { patchMembers } from '../../wire/input/merge-patch.ts';
import { isJsonObject, type JsonObject } from '../../wire/schema/json-object.ts';
import { createReadOnly } from '../../wire/schema/read-only.ts';
import { pickDifferent } from './permissions.ts';
import {
  newTicketSchema,
  type Ticket,
  type TicketChanges,
  type TicketEdit,
  ticketContentSchema,
  ticketEditSchema,
} from './ticket.ts';

/** Computes the changes that a request makes to the viewer's view of a ticket. */
export type ToChanges = (view: Ticket) => TicketChanges;

const readOnly = createReadOnly<Ticket>({
  what: 'ticket',
  immutable: ['id', 'created_at', 'follow_up_of'],
  serverManaged: [
    'status_category',
    'links',
    'first_replied_at',
    'last_reply_at',
    'last_customer_reply_at',
    'waiting_since',
    'reply_count',
    'solved_at',
    'closed_at',
    'deleted_at',
  ],
});

/** Reads a new ticket from a body. @throws {AppError} `validation_failed` with every fault */
export const parseNewTicket = createInputParser(newTicketSchema);

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export const parseTicketEdit: (body: Body, findFaults?: FindFaults) => TicketEdit =
  createInputParser(ticketEditSchema);

const parseContent = createInputParser(ticketContentSchema);

/**
 * Returns the changes of a `PUT`: the writable fields that differ from the viewer's view.
 *
 * @throws {AppError} `precondition_failed` for an outdated copy, `validation_failed` for another read-only member
 */
export function toChanges(view: Ticket, edit: TicketEdit): TicketChanges {
  const written = readOnly.checkAndPick(view, edit);
  return pickDifferent(written as TicketChanges, view);
}

/**
 * Returns the changes of a JSON merge patch (RFC 7396): the writable fields that it names and that change. A removed
 * field gets its default value. Other fields are not validated.
 *
 * @throws {AppError} as `toChanges`
 */
export function toPatchedChanges(view: Ticket, patch: JsonObject, findFaults?: FindFaults): TicketChanges {
  const written = readOnly.checkAndPick(view, patch);
  const target = withoutReplacedPeople(readOnly.pickWritable(view), written);
  const patched = patchMembers(target, written);
  const names = new Set(Object.keys(written));
  const value = pickMembers(patched, (name) => names.has(name) || name === 'subject');
  const content = parseContent({ format: 'json', value }, findFaults);
  return pickDifferent(
    pickMembers(content, (name) => names.has(name)),
    view,
  );
}

/** Clears people whose address the patch changes, so that the id and name of the previous person are not merged in. */
function withoutReplacedPeople(members: JsonObject, patch: JsonObject): JsonObject {
  const others = (['requester', 'assignee'] as const).filter((role) => {
    const [from, to] = [members[role], patch[role]];
    if (!isJsonObject(from) || !isJsonObject(to) || typeof to.email !== 'string') return false;
    return to.email.toLowerCase() !== from.email;
  });
  return { ...members, ...Object.fromEntries(others.map((role) => [role, null])) };
}

function pickMembers<Members extends object>(
  members: Members,
  isPicked: (name: string) => boolean,
): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isPicked(name))) as Partial<Members>;
}
