import { describeFieldChange } from '../helpdesk/fields/describe-field.ts';
import type { FieldStore } from '../helpdesk/fields/field-store.ts';
import type { TicketField } from '../helpdesk/fields/ticket-field.ts';
import { toDefinitionEvent } from '../helpdesk/history/definition-event.ts';
import { system } from '../helpdesk/people/viewer.ts';
import type { Random } from './random.ts';

const fields = [
  { key: 'order_number', title: 'Order number', type: 'text' },
  { key: 'floor', title: 'Floor', type: 'integer' },
  { key: 'vip', title: 'VIP', type: 'boolean' },
] as const;

/** Defines the custom fields of generated tickets, unless they exist. Only staff see them. */
export async function defineFields(
  store: Pick<FieldStore, 'list' | 'add'>,
  random: Pick<Random, 'id'>,
  at: Date,
): Promise<void> {
  const existing = new Set((await store.list()).map(({ key }) => key));
  for (const [position, field] of fields.entries()) {
    if (existing.has(field.key)) continue;
    const definition = toDefinition(field, position);
    const context = { by: system, now: at, newId: () => random.id(at) };
    await store.add(definition, {
      event: toDefinitionEvent(describeFieldChange(undefined, definition), context),
    });
  }

  function toDefinition(field: (typeof fields)[number], position: number): TicketField {
    return {
      id: random.id(at),
      ...field,
      options: [],
      required_on: [],
      visible_to_customers: false,
      editable_by_customers: false,
      position,
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
      version: 1,
    };
  }
}
