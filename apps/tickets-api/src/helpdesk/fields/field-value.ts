import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Body } from '../../wire/input/input.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { FieldSet } from './field-set.ts';
import type { TicketField } from './ticket-field.ts';

/** A value of a custom field. */
export type FieldValue = Ticket['custom_fields'][string];

/** Canonical form of a valid value, or the fault of an invalid one. */
export type CheckedValue = { value: FieldValue } | { fault: string };

const date = z.iso.date();
const decimal = /^(-?)0*(\d{1,30})(?:\.(\d{1,30}))?$/;

/**
 * Checks a changed value. Null means no value, and is valid for every type. A removed option may stay in a value that
 * already has it.
 */
export function checkValue(field: TicketField, value: FieldValue, before: FieldValue = null): CheckedValue {
  if (value === null) return { value };
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? { value } : { fault: 'must be text' };
    case 'integer':
      return Number.isSafeInteger(value) ? { value } : { fault: 'must be a whole number' };
    case 'decimal':
      return checkDecimal(value);
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { fault: 'must be true or false' };
    case 'date':
      return date.safeParse(value).success ? { value } : { fault: 'must be a date such as 2026-01-31' };
    case 'select':
      return checkOption(field, value);
    case 'multi_select':
      return checkOptions(field, value, before);
  }
}

/** Whether a value is null, blank or an empty list. */
export function isEmpty(value: FieldValue | undefined): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || isDeepStrictEqual(value, []);
}

/**
 * Converts a text of a query, a form or XML into a value of the field. Returns the text itself when it can't be
 * converted, so that the error quotes it. An empty text is null, except in text fields.
 */
export function toTypedValue({ type }: TicketField, text: string): FieldValue {
  if (type === 'text') return text;
  if (text === '') return null;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'integer') return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
  return type === 'multi_select' ? [text] : text;
}

/** Returns a decimal as text without redundant zeros. Binary numbers of JSON libraries would lose digits. */
function checkDecimal(value: FieldValue): CheckedValue {
  const [, sign = '', whole, fraction = ''] = decimal.exec(String(value)) ?? [];
  if (typeof value !== 'string' || whole === undefined) {
    return { fault: 'must be a decimal number as text, such as "12.5"' };
  }
  const digits = fraction.replace(/0+$/, '');
  const absolute = digits === '' ? whole : `${whole}.${digits}`;
  return { value: absolute === '0' ? absolute : sign + absolute };
}

function checkOption({ options }: TicketField, value: FieldValue): CheckedValue {
  const isOption = typeof value === 'string' && options.includes(value);
  return isOption ? { value } : { fault: `must be one of ${options.join(', ')}` };
}

function checkOptions({ options }: TicketField, value: FieldValue, before: FieldValue): CheckedValue {
  if (!Array.isArray(value)) return { fault: 'must be a list' };
  if (new Set(value).size < value.length) return { fault: 'must not repeat an option' };
  const allowed = new Set([...options, ...(Array.isArray(before) ? before : [])]);
  const areOptions = value.every((each) => allowed.has(each));
  return areOptions ? { value } : { fault: `must be of ${options.join(', ')}` };
}

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
