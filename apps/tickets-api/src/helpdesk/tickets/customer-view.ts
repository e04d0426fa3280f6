import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { FieldSet } from '../fields/field-set.ts';
import type { PersonReference } from '../people/person.ts';
import type { Ticket } from './ticket.ts';

/** A ticket and the people in it whose addresses customers do not see. */
export type TicketContent = Pick<TicketRecord, 'ticket' | 'staffIds'>;

/**
 * Returns the customer view of a ticket, except its version and the time of its latest change. The result depends only
 * on the record and the field definitions, so it is the same for every customer. It names no other tickets because not
 * every customer may see those.
 */
export function toCustomerContent({ ticket, staffIds = [] }: TicketContent, fields: FieldSet): Ticket {
  const mask = (person: PersonReference) => (staffIds.includes(person.id) ? withoutAddress(person) : person);
  return {
    ...ticket,
    requester: ticket.requester && mask(ticket.requester),
    assignee: ticket.assignee && withoutAddress(ticket.assignee),
    cc: staffIds.length > 0 ? ticket.cc.map(mask) : ticket.cc,
    followers: [],
    tags: [],
    custom_fields: pickFields(ticket.custom_fields, fields.isVisible),
    external_id: null,
    follow_up_of: null,
    links: [],
    deleted_at: null,
  };
}

/**
 * Returns the customer view of a ticket, with the public version and the time of the latest public change. All parts of
 * a response are built from it, the entity tag included. Staff who read as customers see their own address.
 *
 * @param ownId the person of the customer
 */
export function toCustomerView(record: TicketRecord, fields: FieldSet, ownId?: string): Ticket {
  const view = toSharedView(record, fields);
  if (ownId === undefined || !record.staffIds?.includes(ownId)) return view;
  const staffIds = record.staffIds.filter((id) => id !== ownId);
  const { requester, cc } = toCustomerContent({ ...record, staffIds }, fields);
  return Object.freeze({ ...view, requester, cc });
}

/** Returns the view that all customers share, cached with the record for the current field definitions. */
function toSharedView(record: TicketRecord, fields: FieldSet): Ticket {
  const cached = sharedViews.get(record);
  if (cached?.fields === fields) return cached.view;
  const { publicVersion, publicUpdatedAt } = record;
  const content = toCustomerContent(record, fields);
  const view = Object.freeze({ ...content, version: publicVersion, updated_at: publicUpdatedAt });
  sharedViews.set(record, { fields, view });
  return view;
}

/** Returns the custom fields that customers do not see. */
export function toHiddenFields(values: Ticket['custom_fields'], fields: FieldSet): Ticket['custom_fields'] {
  return pickFields(values, (key) => !fields.isVisible(key));
}

/** Removes the address, even where it stands in place of a name. */
function withoutAddress({ id, name }: PersonReference): PersonReference {
  return { id, email: null, name: name?.includes('@') ? null : name };
}

const sharedViews = new WeakMap<TicketRecord, { fields: FieldSet; view: Ticket }>();

function pickFields(values: Ticket['custom_fields'], isPicked: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isPicked(key)));
}
