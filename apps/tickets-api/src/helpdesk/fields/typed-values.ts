import type { Body } from '../../wire/input.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { FieldSet } from './field-set.ts';
import { toTypedValue } from './field-value.ts';

/**
 * Converts the custom fields of a body to the types of their definitions. Forms, and XML without a `type`, contain only
 * text; JSON has types.
 *
 * @param kept stored values of the ticket: a text that equals the stored one is not converted
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
