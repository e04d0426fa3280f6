import type { Body } from '../../wire/input.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { FieldSet } from './field-set.ts';
import { toTypedValue } from './field-value.ts';

/**
 * The custom fields of a body as their definitions say that they are meant: forms, and XML without a `type`, have
 * nothing but text. JSON says its types.
 *
 * @param kept what the ticket has: a text that it has already means itself, whatever its definition has become
 */
export function withTypedValues<Input extends { custom_fields?: Ticket['custom_fields'] | undefined }>(
  fields: FieldSet,
  { format }: Body,
  input: Input,
  kept: Ticket['custom_fields'] = {},
): Input {
  if (format === 'json' || input.custom_fields === undefined) return input;
  const typed = Object.entries(input.custom_fields).map(([key, value]) => {
    const field = value === kept[key] ? undefined : fields.find(key);
    return [key, field && typeof value === 'string' ? toTypedValue(field, value) : value];
  });
  return { ...input, custom_fields: Object.fromEntries(typed) };
}
