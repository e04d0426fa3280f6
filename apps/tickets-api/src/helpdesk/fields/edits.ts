import type { FieldError } from '@keydesk/errors';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import { createInputParser } from '../../wire/input/input.ts';
import { patchMembers } from '../../wire/input/merge-patch.ts';
import type { JsonObject } from '../../wire/schema/json-object.ts';
import { createReadOnly } from '../../wire/schema/read-only.ts';
import {
  type FieldContent,
  type FieldEdit,
  fieldContentSchema,
  fieldEditSchema,
  newFieldSchema,
  type TicketField,
} from './ticket-field.ts';

/** Applies a request to the current definition. */
export type ToContent = (current: TicketField) => FieldContent;

const readOnly = createReadOnly<TicketField>({
  what: 'field',
  immutable: ['id', 'key', 'created_at'],
  serverManaged: [],
});

/** Reads a new definition from a body. @throws {AppError} `validation_failed` with every fault */
export const parseNewField = createInputParser(newFieldSchema);

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export const parseFieldEdit = createInputParser(fieldEditSchema);

const parseContent = createInputParser(fieldContentSchema);

/**
 * Returns the content that a `PUT` requests: members that are not given stay.
 *
 * @throws {AppError} `precondition_failed` for an outdated copy, `validation_failed` for another read-only member
 */
export function toContent(current: TicketField, edit: FieldEdit): FieldContent {
  const written = readOnly.checkAndPick(current, edit);
  return { ...(readOnly.pickWritable(current) as FieldContent), ...written };
}

/** Returns the content that a merge patch requests; a removed member gets its default. @throws {AppError} as `toContent` */
export function toPatchedContent(current: TicketField, patch: JsonObject): FieldContent {
  const written = readOnly.checkAndPick(current, patch);
  const value = patchMembers(readOnly.pickWritable(current), written);
  return parseContent({ format: 'json', value });
}

/** @throws {AppError} `validation_failed` when the members do not go together */
export function assertConsistent({ type, options, ...content }: FieldContent): void {
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string) => errors.push({ field, code: 'invalid_value', message });
  const hasOptions = type === 'select' || type === 'multi_select';
  if (hasOptions && options.length === 0) refuse('options', `must not be empty for type ${type}`);
  if (!hasOptions && options.length > 0) refuse('options', `must be empty for type ${type}`);
  if (content.editable_by_customers && !content.visible_to_customers) {
    refuse('editable_by_customers', 'must be false unless the field is visible to customers');
  }
  if (errors.length > 0) throw invalidData(errors);
}
