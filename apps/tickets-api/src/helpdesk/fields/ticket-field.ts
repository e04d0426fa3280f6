import { AppError } from '@keydesk/errors';
import { z } from 'zod';
import { versionShape, withEtag } from '../../wire/schema/read-only.ts';
import { timestamp } from '../../wire/schema/scalars.ts';

/**
 * Maximum number of definitions, because each is checked whenever a ticket is written. It is also the maximum number of
 * values of a ticket, so that a ticket can have one of each.
 */
export const MAX_FIELDS = 200;

const fieldTypes = ['text', 'integer', 'decimal', 'boolean', 'date', 'select', 'multi_select'] as const;

/** Steps of a ticket at which a field can be required. */
const requirableSteps = ['create', 'solve'] as const;

/** Names of custom fields, defined or not. */
const fieldKeySchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _')
  // The parser of bodies rejects a member of this name.
  .refine((key) => key !== 'constructor', 'must be another name');

const options = z
  .array(z.string().trim().min(1).max(255).meta({ pattern: '\\S' }))
  .max(500)
  .refine((given) => new Set(given).size === given.length, 'must not repeat an option')
  .meta({ item: 'option', uniqueItems: true, description: 'Allowed values of `select` and `multi_select`' });

const requiredOn = z
  .array(z.enum(requirableSteps))
  .refine((given) => new Set(given).size === given.length, 'must not repeat a value')
  .meta({ item: 'moment', uniqueItems: true, description: 'Operations that require a value' });

/** @returns {AppError} `conflict` */
export function tooManyFields(): AppError {
  return new AppError('conflict', `The maximum of ${MAX_FIELDS} custom fields is reached; remove one first.`);
}

/** Members that administrators can change. */
const writable = {
  title: z.string().trim().min(1).max(255).meta({ pattern: '\\S', description: 'Title shown to people' }),
  type: z
    .enum(fieldTypes)
    .describe('Type of the values; a `decimal` is text such as `12.5`, a `date` text such as `2026-01-31`'),
  options,
  required_on: requiredOn,
  visible_to_customers: z.boolean().describe('Whether customers see the field and its values'),
  editable_by_customers: z
    .boolean()
    .describe('Whether customers may set the field; requires `visible_to_customers`'),
  position: z.int().min(0).max(1_000_000).describe('Position in lists, in ascending order'),
};

const key = fieldKeySchema.describe('Key in `custom_fields`; never changes');

/** Definition of a custom field in every format. */
export const ticketFieldSchema = z.strictObject({
  id: z.uuid().meta({ readOnly: true, description: 'Permanent id of the definition' }),
  key: key.meta({ readOnly: true }),
  ...writable,
  created_at: timestamp.meta({ readOnly: true, description: 'Time of creation' }),
  ...versionShape,
});

export type TicketField = Readonly<z.output<typeof ticketFieldSchema>>;

/** Writable members of a definition, with their defaults. */
export const fieldContentSchema = z.strictObject({
  ...writable,
  options: writable.options.default([]),
  required_on: writable.required_on.default([]),
  visible_to_customers: writable.visible_to_customers.default(false),
  editable_by_customers: writable.editable_by_customers.default(false),
  position: writable.position.default(0),
});

export type FieldContent = z.output<typeof fieldContentSchema>;

/** Body of `POST /ticket_fields`. */
export const newFieldSchema = z.strictObject({ key, ...fieldContentSchema.shape });

export type NewField = z.output<typeof newFieldSchema>;

/** Body of `PUT`: any writable members, and read-only ones with their current values. */
export const fieldEditSchema = withEtag(ticketFieldSchema).partial();

export type FieldEdit = Readonly<z.output<typeof fieldEditSchema>>;
