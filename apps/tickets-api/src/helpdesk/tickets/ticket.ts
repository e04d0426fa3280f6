import { z } from 'zod';
import { withEtag } from '../../wire/schema/read-only.ts';
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
    type: z.enum(linkTypes).describe('What the other ticket is to this one'),
    ticket_id: z.uuid().toLowerCase().describe('The other ticket'),
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
    description: 'What else the helpdesk keeps of a ticket, by name; at most 65,536 characters in all',
  });

const tags = z
  .array(tagSchema)
  .max(100)
  .refine((given) => new Set(given).size === given.length, 'must not repeat a tag')
  .meta({ item: 'tag', uniqueItems: true, description: 'Words to find it by' });

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
  subject: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .meta({ pattern: '\\S', description: 'What it is about, in a line' }),
  description: z.string().max(65_536).describe('What was reported'),
  status: definedId('status'),
  priority: definedId('priority'),
  type: definedId('type').nullable(),
  channel: z.enum(ticketChannels).describe('How it came in'),
  requester: givenPersonSchema.nullable().describe('Who asks'),
  assignee: givenPersonSchema.nullable().describe('Agent who works on the ticket'),
  cc: people.describe('People in copy; they can read the ticket'),
  followers: people.describe('Agents who watch the ticket; staff only'),
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
    .meta({ readOnly: true, description: 'The closed ticket that this one takes up again' }),
  links: z
    .array(linkSchema)
    .meta({ readOnly: true, item: 'link', description: 'The tickets that it is connected to' }),
  first_replied_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'When staff first replied in public' }),
  last_reply_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'Time of the latest public reply' }),
  last_customer_reply_at: timestamp
    .nullable()
    .meta({ readOnly: true, description: 'Time of the latest public reply from the customer' }),
  waiting_since: timestamp.nullable().meta({
    readOnly: true,
    description:
      'Time of the first message of the customer (the ticket itself or a public reply) that neither a public reply of staff nor solving has answered; null when nothing waits for an answer',
  }),
  reply_count: z.int().min(0).meta({ readOnly: true, description: 'Number of public replies' }),
  solved_at: timestamp.nullable().meta({ readOnly: true, description: 'When it was last solved' }),
  closed_at: timestamp.nullable().meta({ readOnly: true, description: 'When it was closed' }),
  deleted_at: timestamp.nullable().meta({ readOnly: true, description: 'When it was deleted' }),
  created_at: timestamp.meta({ readOnly: true, description: 'When it was added' }),
  updated_at: timestamp.meta({ readOnly: true, description: 'When it was last changed' }),
  version: z.int().min(1).meta({ readOnly: true, description: 'Counts its changes from 1' }),
};

const { id, ...versioning } = readOnly;

const status_category = z.enum(statusCategories).meta({
  readOnly: true,
  description: 'Category of the status: the stage of the workflow, which has the rules',
});

const { subject, description, status, ...others } = writable;
/** Fields in the order in which responses have them. */
const members = { id, subject, description, status, status_category, ...others };

/** The ticket in responses of every format. */
export const ticketSchema = z.strictObject({
  ...members,
  requester: personReferenceSchema.nullable().describe('Who asks'),
  assignee: personReferenceSchema.nullable().describe('Agent who works on the ticket'),
  cc: references.describe('People in copy; they can read the ticket'),
  followers: references.describe('Agents who watch the ticket; staff only'),
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
    .describe('The closed ticket that this one takes up again'),
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
