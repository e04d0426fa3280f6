import { z } from 'zod';
import { versionShape, withEtag } from '../../wire/schema/read-only.ts';
import { chosenId, inputTimestamp, timestamp } from '../../wire/schema/scalars.ts';
import { defaultIds } from '../definitions/built-in.ts';
import { definedId } from '../definitions/defined-id.ts';
import { statusCategories } from '../definitions/definition.ts';
import { MAX_FIELDS } from '../fields/ticket-field.ts';
import { givenPersonSchema, personReferenceSchema } from '../people/person.ts';
import { timesOf } from './workflow.ts';

export const ticketChannels = ['api', 'web', 'email', 'phone', 'chat', 'mobile'] as const;

/** Types of links; each says what the other ticket is to this one. */
const linkTypes = ['parent', 'child', 'related', 'duplicate', 'original'] as const;

/** A link of a ticket; also the body of `POST /ticket/{id}/links`. */
export const linkSchema = z
  .strictObject({
    type: z.enum(linkTypes).describe('Role of the other ticket in relation to this one, such as `parent`'),
    ticket_id: z.uuid().toLowerCase().describe('Id of the other ticket'),
  })
  .meta({ title: 'TicketLink' });

/** A tag: a word by which tickets are found. */
export const tagSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\s,]+$/u, 'must not contain white space or a comma');

const customFieldValue = z
  .union([
    z.string().max(4096),
    z.number(),
    z.boolean(),
    z.array(z.string().max(4096)).max(100).meta({ item: 'item' }),
    z.null(),
  ])
  .meta({ title: 'CustomFieldValue' });

/** Custom fields by name. `settleValues` limits the number and total length of the stored values. */
const customFields = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _'),
    customFieldValue,
  )
  .meta({
    maxProperties: MAX_FIELDS,
    description: 'Values of custom fields by key; at most 65,536 characters in total',
  });

const tags = z
  .array(tagSchema)
  .max(100)
  .refine((given) => new Set(given).size === given.length, 'must not repeat a tag')
  .meta({ item: 'tag', uniqueItems: true, description: 'Labels of the ticket' });

const people = z
  .array(givenPersonSchema)
  .max(50)
  .refine(
    (given) => new Set(given.map(({ id, email }) => email ?? id)).size === given.length,
    'must not repeat a person',
  )
  .meta({ item: 'person' });

const references = z.array(personReferenceSchema).max(50).meta({ item: 'person' });

/** Writable fields with their limits. */
const writable = {
  // JSON Schema can't express trimming; the pattern also rejects text that is only white space.
  subject: z.string().trim().min(1).max(255).meta({ pattern: '\\S', description: 'Summary in one line' }),
  description: z.string().max(65_536).describe('Full text of the request'),
  status: definedId('status'),
  priority: definedId('priority'),
  type: definedId('type').nullable(),
  channel: z.enum(ticketChannels).describe('Channel by which the ticket was submitted'),
  requester: givenPersonSchema.nullable().describe('Person who needs help'),
  assignee: givenPersonSchema
    .nullable()
    .describe('Agent who is responsible for the ticket; null if unassigned'),
  cc: people.describe('People in copy, who can read the ticket and reply in public'),
  followers: people.describe('Agents who follow the ticket; visible to staff only'),
  tags,
  custom_fields: customFields,
  external_id: z.string().min(1).max(255).nullable().describe('Id of the ticket in another system'),
  due_at: inputTimestamp.nullable().describe('Time by which the ticket is due'),
};

/** Fields that only the server sets. */
const readOnly = {
  id: z.uuid().meta({ readOnly: true, description: 'Permanent id of the ticket' }),
  follow_up_of: z
    .uuid()
    .nullable()
    .meta({ readOnly: true, description: 'Id of the closed ticket that this one continues' }),
  links: z.array(linkSchema).meta({ readOnly: true, item: 'link', description: 'Links to other tickets' }),
  first_replied_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'Time of the first public reply by staff' }),
  last_reply_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'Time of the latest public reply' }),
  last_customer_reply_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'Time of the latest public reply from the customer' }),
  waiting_since: timestamp.nullable().meta({
    readOnly: true,
    description:
      'Time of the oldest message of the customer (the ticket itself or a public reply) that has not been answered, either by a public reply of staff or by solving the ticket; null if none is unanswered',
  }),
  reply_count: z.int().min(0).meta({ readOnly: true, description: 'Number of public replies' }),
  solved_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'Time when the ticket was last solved' }),
  closed_at: timestamp.nullable().meta({ readOnly: true, description: 'Time when the ticket was closed' }),
  deleted_at: timestamp.nullable().meta({ readOnly: true, description: 'Time when the ticket was deleted' }),
  created_at: timestamp.meta({ readOnly: true, description: 'Time when the ticket was created' }),
  ...versionShape,
};

const { id, ...versioning } = readOnly;

const status_category = z.enum(statusCategories).meta({
  readOnly: true,
  description: 'Category of the status, which determines the workflow',
});

const { subject, description, status, ...others } = writable;
/** Fields in the order in which responses have them. */
const members = { id, subject, description, status, status_category, ...others };

/** The ticket in responses of every format. */
export const ticketSchema = z.strictObject({
  ...members,
  requester: personReferenceSchema.nullable().describe('Person who needs help'),
  assignee: personReferenceSchema
    .nullable()
    .describe('Agent who is responsible for the ticket; null if unassigned'),
  cc: references.describe('People in copy, who can read the ticket and reply in public'),
  followers: references.describe('Agents who follow the ticket; visible to staff only'),
  due_at: timestamp.nullable().describe('Time by which the ticket is due'),
  ...versioning,
});

export type Ticket = Readonly<z.output<typeof ticketSchema>>;

/** Writable content of a ticket with defaults; only the subject is required. */
export const ticketContentSchema = z.strictObject({
  ...writable,
  description: writable.description.default(''),
  status: writable.status.default(defaultIds.status),
  priority: writable.priority.default(defaultIds.priority),
  type: writable.type.default(null),
  channel: writable.channel.default('api'),
  requester: writable.requester.default(null),
  assignee: writable.assignee.default(null),
  cc: writable.cc.default([]),
  followers: writable.followers.default([]),
  tags: writable.tags.default([]),
  custom_fields: writable.custom_fields.default({}),
  external_id: writable.external_id.default(null),
  due_at: writable.due_at.default(null),
});

export type TicketContent = z.output<typeof ticketContentSchema>;

/** The body of `POST /tickets`. */
export const newTicketSchema = ticketContentSchema.extend({
  id: chosenId,
  follow_up_of: z
    .uuid()
    .toLowerCase()
    .nullable()
    .default(null)
    .describe('Id of the closed ticket that this one continues'),
});

export type NewTicket = z.output<typeof newTicketSchema>;

/**
 * The body of `PUT`: any writable fields, and read-only fields with their current values, so that a client may send
 * back a whole ticket from a response.
 */
export const ticketEditSchema = withEtag(z.strictObject({ ...members, ...versioning })).partial();

export type TicketEdit = Readonly<z.output<typeof ticketEditSchema>>;
/** Fields of a request, in which people are not yet resolved. */
export type TicketChanges = Partial<TicketContent>;
/** Fields of a stored ticket, in which people are resolved. */
export type TicketFields = Pick<Ticket, keyof TicketContent | 'status_category'>;

/** Creates the first version of a ticket. */
export function createTicket(
  fields: TicketFields & Pick<Ticket, 'follow_up_of' | 'links'>,
  { id, now }: { id: string; now: Date },
): Ticket {
  const at = now.toISOString();
  const { subject, description, status, status_category, ...others } = fields;
  return {
    ...{ id, subject, description, status, status_category },
    ...others,
    first_replied_at: null,
    last_reply_at: null,
    last_customer_reply_at: null,
    waiting_since: at,
    reply_count: 0,
    solved_at: null,
    closed_at: null,
    deleted_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
    ...timesOf(status_category, now),
  };
}

/** Returns the ids of the requester and the people in copy, who see the ticket as customers; none for a deleted ticket. */
export function listReaders({ requester, cc, deleted_at }: Ticket): readonly string[] {
  if (deleted_at !== null) return [];
  return [...new Set([...(requester ? [requester.id] : []), ...cc.map(({ id }) => id)])];
}
