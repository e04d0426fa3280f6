import { invalidData, invalidMember } from '../../wire/faults/validation-errors.ts';
import { findUnchoosable } from '../definitions/choosable.ts';
import type { StatusCategory } from '../definitions/definition.ts';
import { checkValues, withCheckedValues } from '../fields/check-values.ts';
import { withLink } from '../links/link-changes.ts';
import type { People } from '../people/people.ts';
import { toReference } from '../people/person.ts';
import { toChangeAuthor, type Viewer } from '../people/viewer.ts';
import { toClaimant } from '../tickets/external-id.ts';
import { referToPeople } from '../tickets/people-of-ticket.ts';
import { assertMayCreate } from '../tickets/permissions.ts';
import {
  createTicket,
  type NewTicket,
  newTicketSchema,
  type Ticket,
  type TicketFields,
} from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { canSee, toTicketView } from '../tickets/visibility.ts';
import type { TicketRecord } from './ticket-commit.ts';
import type { Plan } from './ticket-writer.ts';
import type { TicketChange } from './to-commit.ts';

export interface CreationDeps {
  store: Pick<TicketStore, 'find'>;
  people: People;
  newId: () => string;
}

export interface CreationOptions {
  now: Date;
  /** Whether the external id must be unique within the client. */
  isUnique: boolean;
}

/**
 * Plans a new ticket and the link from the closed ticket that it follows up.
 *
 * @throws {AppError} `forbidden`, `validation_failed`; `conflict` when the closed ticket has too many follow-ups
 */
export async function planCreation(
  { store, people, newId }: CreationDeps,
  viewer: Viewer,
  { id: chosenId, ...input }: NewTicket,
  { now, isUnique }: CreationOptions,
): Promise<Plan<Ticket>> {
  assertMayCreate(viewer, input, newTicketSchema.parse({ subject: input.subject }));
  const { category = 'new' } = viewer.definitions.find({ kind: 'status', id: input.status }) ?? {};
  assertDefined(viewer, input, category ?? 'new');
  const followedUp = await findFollowedUp(store, viewer, input);
  const { person } = viewer;
  const { follow_up_of, ...given } = await referToPeople(input, { people, viewer });
  const isOwn = !viewer.isStaff && person !== undefined;
  const fields = {
    ...given,
    status_category: category ?? 'new',
    ...(isOwn && { requester: toReference(person) }),
  } as TicketFields;
  const links = followedUp ? [toLink(followedUp.ticket.id)] : [];
  const ticket = createTicket({ ...fields, follow_up_of, links }, { id: chosenId ?? newId(), now });
  const after = withCheckedValues(viewer, undefined, ticket);
  const claimant = toClaimant(viewer, isUnique, after);
  return {
    changes: [{ after, chosenId, claimant }, ...(followedUp ? [toFollowedUp(followedUp, after.id)] : [])],
    by: toChangeAuthor(viewer),
    toAnswer: ([record]) => toTicketView(viewer, record as TicketRecord),
  };
}

/** @throws {AppError} `validation_failed` with every undefined id and every disallowed value */
function assertDefined(viewer: Viewer, input: NewTicket, status_category: StatusCategory): void {
  const after = { custom_fields: input.custom_fields, status_category };
  const errors = [
    ...findUnchoosable(viewer.definitions, input),
    ...checkValues(viewer, { before: undefined, after }).errors,
  ];
  if (errors.length > 0) throw invalidData(errors);
}

async function findFollowedUp(
  store: Pick<TicketStore, 'find'>,
  viewer: Viewer,
  { follow_up_of }: NewTicket,
): Promise<TicketRecord | undefined> {
  if (follow_up_of === null) return undefined;
  const record = await store.find(follow_up_of);
  if (record && canSee(viewer, record) && record.ticket.status_category === 'closed') return record;
  throw invalidMember('follow_up_of', 'must be the id of a closed ticket');
}

type Link = Ticket['links'][number];

/** Returns the link between a ticket and its follow-up. */
function toLink(ticketId: string): Link {
  return { type: 'related', ticket_id: ticketId };
}

/**
 * Adds the link to its follow-up to a closed ticket; nothing else of the ticket changes.
 *
 * @throws {AppError} `conflict` when the ticket already has 100 links
 */
function toFollowedUp(before: TicketRecord, followUpId: string): TicketChange {
  return { before, after: withLink(before.ticket, toLink(followUpId)) };
}
