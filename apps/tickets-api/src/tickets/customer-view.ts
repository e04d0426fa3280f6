import type { FieldSet } from '../fields/field-set.ts';
import type { Ticket } from './ticket.ts';
import type { TicketRecord } from './ticket-commit.ts';

/**
 * What a customer sees of a ticket, but for its version and the time of its latest change. It is a function of the
 * ticket and the definitions of fields alone, the same for every customer who sees it: other tickets are not named, for
 * not all of them may see those.
 */
export function toCustomerContent(ticket: Ticket, fields: FieldSet): Ticket {
  return {
    ...ticket,
    assignee: ticket.assignee && { ...ticket.assignee, email: null },
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
 * The ticket as customers see it: its version and the time of its latest change are of what they see. Every part of the
 * answer, the entity tag too, is made from this. The same record has the same view for as long as the definitions of
 * fields are the same, so that it is rendered once.
 */
export function toCustomerView(record: TicketRecord, fields: FieldSet): Ticket {
  const views = viewsBy.get(fields) ?? new WeakMap<TicketRecord, Ticket>();
  viewsBy.set(fields, views);
  const { ticket, publicVersion, publicUpdatedAt } = record;
  const view =
    views.get(record) ??
    Object.freeze({
      ...toCustomerContent(ticket, fields),
      version: publicVersion,
      updated_at: publicUpdatedAt,
    });
  views.set(record, view);
  return view;
}

/** The custom fields that customers do not see. */
export function toHiddenFields(values: Ticket['custom_fields'], fields: FieldSet): Ticket['custom_fields'] {
  return pickFields(values, (key) => !fields.isVisible(key));
}

const viewsBy = new WeakMap<FieldSet, WeakMap<TicketRecord, Ticket>>();

function pickFields(values: Ticket['custom_fields'], isPicked: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isPicked(key)));
}
