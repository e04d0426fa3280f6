import type { Ticket } from './ticket.ts';
import type { TicketRecord } from './ticket-commit.ts';

/**
 * What a customer sees of a ticket, but for its version and the time of its latest change. It is a function of the
 * ticket alone, the same for every customer who sees it: other tickets are not named, for not all of them may see those.
 */
export function toCustomerContent(ticket: Ticket): Ticket {
  return {
    ...ticket,
    followers: [],
    tags: [],
    custom_fields: toCustomerFields(ticket.custom_fields),
    external_id: null,
    follow_up_of: null,
    links: [],
    deleted_at: null,
  };
}

/** Which custom fields customers may see and write. None is marked for them yet. */
export function isCustomerField(_name: string): boolean {
  return false;
}

/**
 * The ticket as customers see it: its version and the time of its latest change are of what they see. Every part of the
 * answer, the entity tag too, is made from this. The same record has the same view, so that it is rendered once.
 */
export const toCustomerView = remember(({ ticket, publicVersion, publicUpdatedAt }) =>
  Object.freeze({ ...toCustomerContent(ticket), version: publicVersion, updated_at: publicUpdatedAt }),
);

/** The custom fields that customers do not see. */
export function toHiddenFields(fields: Ticket['custom_fields']): Ticket['custom_fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isCustomerField(name)));
}

function toCustomerFields(fields: Ticket['custom_fields']): Ticket['custom_fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isCustomerField(name)));
}

function remember(view: (record: TicketRecord) => Ticket): (record: TicketRecord) => Ticket {
  const views = new WeakMap<TicketRecord, Ticket>();
  return (record) => {
    const known = views.get(record) ?? view(record);
    views.set(record, known);
    return known;
  };
}
