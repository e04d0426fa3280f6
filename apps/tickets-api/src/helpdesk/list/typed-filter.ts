import type { FieldError } from '@keydesk/errors';
import { invalidParameters } from '../../wire/faults/validation-errors.ts';
import type { FieldSet } from '../fields/field-set.ts';
import { checkValue, toTypedValue } from '../fields/field-value.ts';
import type { TicketField } from '../fields/ticket-field.ts';
import type { Viewer } from '../people/viewer.ts';
import {
  type CustomCondition,
  listCustomConditions,
  type Operator,
  ranges,
  type TicketFilter,
  toParameterName,
} from './ticket-filter.ts';

/** A parsed value of a filter, or the error message. */
type FilterValue = { value: string | number | boolean } | { fault: string };

/** Operators of each type beyond the operators of every field. */
const ownOperators: Readonly<Record<TicketField['type'], readonly Operator[]>> = {
  text: [],
  integer: ranges,
  decimal: ranges,
  boolean: [],
  date: ranges,
  select: [],
  multi_select: ['all'],
};

/**
 * Converts the values of custom fields in a filter to the types of their definitions.
 *
 * @throws {AppError} `validation_failed` with every field whose definition the viewer does not see, every operator that
 * its type does not support, and every value that is not of its type
 */
export function typeFilter({ isStaff, fields }: Viewer, filter: TicketFilter): TicketFilter {
  const known = fields.definitions.filter(({ key }) => isStaff || fields.isVisible(key));
  const typed: [string, CustomCondition][] = [];
  const faults: FieldError[] = [];
  for (const [key, condition] of listCustomConditions(filter)) {
    const field = known.find((each) => each.key === key);
    if (!field) faults.push(toUnknown(key, known));
    else typed.push([`custom_fields.${key}`, typeCondition(field, condition, faults)]);
  }
  if (faults.length > 0) throw invalidParameters(faults);
  return typed.length > 0 ? { ...filter, ...Object.fromEntries(typed) } : filter;
}

function typeCondition(
  field: TicketField,
  condition: CustomCondition,
  faults: FieldError[],
): CustomCondition {
  const typed = Object.entries(condition).map(([name, given]) => {
    const operator = name as Operator;
    const refuse = (message: string) => {
      const parameter = toParameterName(`custom_fields.${field.key}`, operator);
      faults.push({ field: parameter, code: 'invalid_value', message });
    };
    if (!hasOperator(field, operator)) refuse(`is not for a field of type ${field.type}`);
    const toValue = (text: unknown) => {
      const read = readValue(field, String(text));
      if ('value' in read) return read.value;
      refuse(read.fault);
      return text;
    };
    if (operator === 'isEmpty') return [operator, given];
    return [operator, Array.isArray(given) ? given.map(toValue) : toValue(given)];
  });
  return { ...Object.fromEntries(typed), ...(field.type === 'decimal' && { isDecimal: true }) };
}

function hasOperator({ type }: TicketField, operator: Operator): boolean {
  return ['any', 'not', 'isEmpty', ...ownOperators[type]].includes(operator);
}

/** Parses a value. Any text can be an option because tickets may still have options that are no longer offered. */
function readValue(field: TicketField, text: string): FilterValue {
  if (field.type === 'select' || field.type === 'multi_select') return { value: text };
  const checked = checkValue(field, toTypedValue(field, text)) as FilterValue;
  // The message for bodies mentions quotation marks and would mislead in a query, where every value is text.
  const isMisread = 'fault' in checked && field.type === 'decimal';
  return isMisread ? { fault: 'must be a decimal number such as 12.5' } : checked;
}

function toUnknown(key: string, known: FieldSet['definitions']): FieldError {
  const names = known.map((field) => `custom_fields.${field.key}`).join(', ') || 'none';
  const message = `names an unknown field; the known fields are ${names}`;
  return { field: `custom_fields.${key}`, code: 'unknown_parameter', message };
}
