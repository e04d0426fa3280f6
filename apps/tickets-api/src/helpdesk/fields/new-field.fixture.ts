import { randomUUID } from 'node:crypto';
import type { TicketField } from './ticket-field.ts';

/** Returns the definition of a text field with a unique key. */
export function newField(members: Partial<TicketField> = {}): TicketField {
  const id = randomUUID();
  return {
    id,
    key: `f_${id.replaceAll('-', '_')}`,
    title: 'Ünterneh 漢字 😀',
    type: 'text',
    options: [],
    required_on: [],
    visible_to_customers: false,
    editable_by_customers: false,
    position: 0,
    created_at: '2026-03-01T12:00:00.001Z',
    updated_at: '2026-03-01T12:00:00.002Z',
    version: 1,
    ...members,
  };
}
