import { isDeepStrictEqual } from 'node:util';
import type { FieldSet } from '../fields/field-set.ts';
import type { PersonReference } from '../people/person.ts';
import { type TicketContent, toCustomerContent } from '../tickets/customer-view.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { FieldChange } from './audit-event.ts';

type FieldValue = FieldChange['from'];

/** Fields that events omit: the server derives them, or the event itself has them. */
const untold = new Set([
  'id',
  'created_at',
  'updated_at',
  'version',
  'last_reply_at',
  'last_customer_reply_at',
  'waiting_since',
  'reply_count',
]);

/** Returns the differences between two versions of a ticket, field by field. */
export function toFieldChanges(before: Ticket, after: Ticket): readonly FieldChange[] {
  const [from, to] = [flatten(before), flatten(after)];
  return [...new Set([...from.keys(), ...to.keys()])]
    .map((field) => ({ field, from: from.get(field) ?? null, to: to.get(field) ?? null }))
    .filter((change) => !isDeepStrictEqual(change.from, change.to));
}

/** Returns the part of them that customers see, without addresses of staff; `undefined` when it is empty. */
export function toPublicFieldChanges(
  before: TicketContent,
  after: TicketContent,
  fields: FieldSet,
): readonly FieldChange[] | undefined {
  const staffIds = [...(before.staffIds ?? []), ...(after.staffIds ?? [])];
  const toContent = ({ ticket }: TicketContent) => toCustomerContent({ ticket, staffIds }, fields);
  const changes = toFieldChanges(toContent(before), toContent(after));
  return changes.length > 0 ? changes : undefined;
}

function flatten(ticket: Ticket): Map<string, FieldValue> {
  const fields = new Map<string, FieldValue>();
  for (const [name, value] of Object.entries(ticket)) {
    if (name === 'custom_fields') continue;
    if (!untold.has(name)) fields.set(name, toValue(value));
  }
  for (const [name, value] of Object.entries(ticket.custom_fields)) {
    fields.set(`custom_fields.${name}`, value);
  }
  return fields;
}

function toValue(value: Ticket[keyof Ticket]): FieldValue {
  if (Array.isArray(value)) return value.map(toText);
  return typeof value === 'object' && value !== null ? toText(value) : (value as FieldValue);
}

function toText(value: string | object): string {
  if (typeof value === 'string') return value;
  if ('ticket_id' in value && 'type' in value) return `${value.type} ${value.ticket_id}`;
  const { id, email, name } = value as PersonReference;
  return email ?? name ?? id;
}
