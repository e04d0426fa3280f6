import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { FieldSet } from '../fields/field-set.ts';
import type { PersonReference } from '../people/person.ts';
import type { Ticket } from './ticket.ts';

/** A ticket and the people in it whose addresses customers do not see. */
export type TicketContent = Pick<TicketRecord, 'ticket' | 'staffIds'>;

/**
 * Returns the customer view of a ticket, except its version and the time of its latest change. The result depends only on
 * the record and the field definitions, so it is the same for every customer. It names no other tickets because not
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
 * Returns the customer view of a ticket, with the public version and the time of the latest public change. All parts of a
 * response are built from it, the entity tag included. Staff who read as customers see their own address.
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

/** Returns the view that all customers share, cached by field definitions and record so that it is built once. */
function toSharedView(record: TicketRecord, fields: FieldSet): Ticket {
  const views = viewsBy.get(fields) ?? new WeakMap<TicketRecord, Ticket>();
  viewsBy.set(fields, views);
  const { publicVersion, publicUpdatedAt } = record;
  const view =
    views.get(record) ??
    Object.freeze({
      ...toCustomerContent(record, fields),
      version: publicVersion,
      updated_at: publicUpdatedAt,
    });
  views.set(record, view);
  return view;
}

/** Returns the custom fields that customers do not see. */
export function toHiddenFields(values: Ticket['custom_fields'], fields: FieldSet): Ticket['custom_fields'] {
  return pickFields(values, (key) => !fields.isVisible(key));
}

/** Removes the address, also where it stands in place of a name. */
function withoutAddress({ id, name }: PersonReference): PersonReference {
  return { id, email: null, name: name?.includes('@') ? null : name };
}

const viewsBy = new WeakMap<FieldSet, WeakMap<TicketRecord, Ticket>>();

function pickFields(values: Ticket['custom_fields'], isPicked: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isPicked(key)));
}
