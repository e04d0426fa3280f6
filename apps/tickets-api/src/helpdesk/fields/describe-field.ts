import type { DefinitionChange } from '../history/definition-event.ts';
import type { TicketField } from './ticket-field.ts';

/** Returns the change of a field for its event. At least one of both states is present. */
export function describeFieldChange(
  before: TicketField | undefined,
  after: TicketField | undefined,
): DefinitionChange {
  const { id } = (after ?? before) as TicketField;
  return { resource: { type: 'ticket_field', id }, before, after };
}
