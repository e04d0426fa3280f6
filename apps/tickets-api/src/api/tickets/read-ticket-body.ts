import type { FieldError } from '@keydesk/server';
import { findUnchoosable } from '../../helpdesk/definitions/choosable.ts';
import { checkValues } from '../../helpdesk/fields/check-values.ts';
import { withTypedValues } from '../../helpdesk/fields/field-value.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import { parseNewTicket } from '../../helpdesk/tickets/edits.ts';
import type { NewTicket, Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { Body, FindFaults } from '../../wire/input/input.ts';
import { isJsonObject } from '../../wire/schema/json-object.ts';

type Values = Ticket['custom_fields'];

/** Reads a new ticket from a body. @throws {AppError} `validation_failed` with every fault */
export function readNewTicket(viewer: Viewer, body: Body): NewTicket {
  return withTypedValues(viewer.fields, body, parseNewTicket(body, findNewTicketFaults(viewer, body)));
}

/** Finds values of a rejected new ticket that its definitions do not allow, and missing required values. */
function findNewTicketFaults(viewer: Viewer, body: Body): FindFaults {
  return (members) => [
    ...findUnchoosable(viewer.definitions, members),
    ...findValueFaults(viewer, body, members.custom_fields),
  ];
}

/**
 * Finds undefined ids in a rejected edit. Hidden statuses and custom fields are not checked here, because a ticket may
 * keep its current ones; the change itself checks them against the ticket.
 */
export function findEditFaults({ definitions }: Viewer): FindFaults {
  return (members) => findUnchoosable(definitions, members).filter(({ code }) => code === 'not_defined');
}

/** Finds invalid values of custom fields; for customers only of fields that they may set. */
function findValueFaults(viewer: Viewer, body: Body, given: unknown): readonly FieldError[] {
  if (!isJsonObject(given)) return [];
  const isTheirs = ([key]: [string, unknown]) => viewer.isStaff || viewer.fields.isEditable(key);
  const custom_fields = Object.fromEntries(Object.entries(given).filter(isTheirs)) as Values;
  const typed = withTypedValues(viewer.fields, body, { custom_fields });
  return checkValues(viewer, { before: undefined, after: { ...typed, status_category: 'new' } }).errors;
}
