import type { DefinitionChange } from '../history/definition-event.ts';
import type { TicketField } from './ticket-field.ts';

/** The change of a field as its event describes it. One of both is there. */
export function describeFieldChange(
  before: TicketField | undefined,
  after: TicketField | undefined,
): DefinitionChange {
  const { id } = (after ?? before) as TicketField;
  return { resource: { type: 'ticket_field', id }, before, after };
}
