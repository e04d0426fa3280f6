import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@keydesk/errors';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import type { Viewer } from '../people/viewer.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { isDone } from '../tickets/workflow.ts';
import { checkValue, isEmpty } from './field-value.ts';
import { MAX_FIELDS, type TicketField } from './ticket-field.ts';

type Values = Ticket['custom_fields'];

/**
 * Maximum number of characters in all names and values of a ticket. It equals the limit of descriptions, so that a
 * whole ticket can be sent back in either format, and a page of tickets fits in memory.
 */
const MAX_CHARACTERS = 65_536;

/** Members of a ticket that decide which values it may and must have. */
type Valued = Pick<Ticket, 'custom_fields' | 'status_category'>;

/** The ticket before a change, unless it is new, and after it. */
interface Step {
  before: Valued | undefined;
  after: Valued;
}

/**
 * Returns the ticket with its custom fields in canonical form. Unchanged values are not checked, because a definition
 * may have changed after they were written.
 *
 * @throws {AppError} `validation_failed`, naming every value that its definition does not allow, every field that must
 * have one by now, and all of them where they are too many or too long together
 */
export function withCheckedValues(viewer: Viewer, before: Ticket | undefined, after: Ticket): Ticket {
  const { values, errors } = checkValues(viewer, { before, after });
  if (errors.length > 0) throw invalidData(errors);
  return isDeepStrictEqual(values, after.custom_fields) ? after : { ...after, custom_fields: values };
}

/** The values as they are stored, and the faults of all that are not allowed or missing. */
export function checkValues(viewer: Viewer, { before, after }: Step) {
  const { values, faults } = checkChanged(viewer, before?.custom_fields ?? {}, after.custom_fields);
  const missing = viewer.fields.definitions
    .filter((field) => isMissing(field, { before, after }) && canGive(viewer, field))
    .map(({ key }) => toFault(key, 'required', 'is required'));
  const areTooMany = countOf(values) > Math.max(MAX_FIELDS, countOf(before?.custom_fields));
  const areTooLong = sizeOf(viewer, values) > Math.max(MAX_CHARACTERS, sizeOf(viewer, before?.custom_fields));
  const errors = [...faults, ...missing, ...(areTooMany ? [tooMany] : []), ...(areTooLong ? [tooLong] : [])];
  return { values, errors };
}

function checkChanged({ fields }: Viewer, before: Values, after: Values) {
  const values: [string, Values[string]][] = [];
  const faults: FieldError[] = [];
  for (const [key, value] of Object.entries(after)) {
    const field = isDeepStrictEqual(value, before[key]) ? undefined : fields.find(key);
    const checked = field ? checkValue(field, value, before[key]) : { value };
    if ('value' in checked) values.push([key, checked.value]);
    else faults.push(toFault(key, 'invalid_value', checked.fault));
  }
  return { values: Object.fromEntries(values), faults };
}

/** Counts hidden values too, so that staff can send all values back. */
function countOf(values: Values = {}): number {
  return Object.keys(values).length;
}

/** Counts only the visible characters, because the size of hidden values must not leak to customers. */
function sizeOf({ isStaff, fields }: Viewer, values: Values = {}): number {
  const seen = Object.entries(values).filter(([key]) => isStaff || fields.isVisible(key));
  const texts = seen.flat(2).filter((each) => typeof each === 'string');
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Whether a required value is missing: it is required from now on, or would be removed although it is required. */
function isMissing({ key, required_on }: TicketField, { before, after }: Step): boolean {
  if (!isEmpty(after.custom_fields[key])) return false;
  const isSolved = isDone(after);
  const isNeeded = required_on.includes('create') || (required_on.includes('solve') && isSolved);
  const isLost = before !== undefined && !isEmpty(before.custom_fields[key]);
  const isDue =
    (before === undefined && required_on.includes('create')) ||
    (isSolved && !(before && isDone(before)) && required_on.includes('solve'));
  return isDue || (isLost && isNeeded);
}

/** Whether the viewer can set a field. Errors never name a field that a customer can't set. */
function canGive({ isStaff, fields }: Viewer, { key }: TicketField): boolean {
  return isStaff || fields.isEditable(key);
}

const tooMany: FieldError = {
  field: 'custom_fields',
  code: 'too_long',
  message: `must not have more than ${MAX_FIELDS} fields`,
};

const tooLong: FieldError = {
  field: 'custom_fields',
  code: 'too_long',
  message: `must not have more than ${MAX_CHARACTERS} characters in all`,
};

function toFault(key: string, code: string, message: string): FieldError {
  return { field: `custom_fields.${key}`, code, message };
}
