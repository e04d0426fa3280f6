import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export const ticketStatuses = ['new', 'open', 'pending', 'hold', 'solved', 'closed'] as const;
export const ticketPriorities = ['low', 'normal', 'high', 'urgent'] as const;
export const ticketTypes = ['question', 'incident', 'problem', 'task'] as const;
export const ticketChannels = ['api', 'web', 'email', 'phone', 'chat', 'mobile'] as const;

const timestamp = z.iso.datetime({ offset: true, precision: 3 });

/** A time given by a caller: any RFC 3339 time with an offset; kept in UTC with milliseconds. */
const givenTime = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .pipe(timestamp);

/** At most 64 characters before the @ and 63 between dots, as mail servers take them (RFC 5321 §4.5.3.1, RFC 1035 §2.3.4). */
const mailable = /^[^@]{1,64}@(?:[^@.]{1,63}\.)+[^@.]{1,63}$/;

/** In lower case, for addresses are compared without regard to case. */
export const emailAddress = z
  .email({ error: 'must be an e-mail address', abort: true })
  .max(254)
  .regex(mailable, 'must be an e-mail address')
  .describe('An e-mail address')
  .transform((address) => address.toLowerCase());

/** Somebody a ticket refers to. E-mail addresses are compared without regard to case and kept in lower case. */
const person = z.strictObject({
  email: emailAddress,
  name: z.string().min(1).max(200).nullable().default(null).describe('As it is to be shown'),
});

const tag = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\s,]+$/u, 'must not contain white space or a comma');

const customFieldValue = z.union([
  z.string().max(4096),
  z.number(),
  z.boolean(),
  z.array(z.string().max(4096)).max(100).meta({ item: 'item' }),
  z.null(),
]);

const customFields = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _'),
    customFieldValue,
  )
  .refine((fields) => Object.keys(fields).length <= 100, 'must not have more than 100 fields')
  .meta({ maxProperties: 100, description: 'What else the helpdesk keeps of a ticket, by name' });

const tags = z
  .array(tag)
  .max(100)
  .refine((given) => new Set(given).size === given.length, 'must not repeat a tag')
  .meta({ item: 'tag', uniqueItems: true, description: 'Words to find it by' });

/** What a caller may set, and how long it may be. */
const writable = {
  // JSON Schema knows no trimming; the pattern says the same of what has nothing but white space.
  subject: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .meta({ pattern: '\\S', description: 'What it is about, in a line' }),
  description: z.string().max(65_536).describe('What was reported'),
  status: z.enum(ticketStatuses).describe('How far it has come'),
  priority: z.enum(ticketPriorities).describe('How much it matters'),
  type: z.enum(ticketTypes).nullable().describe('What kind of request it is'),
  channel: z.enum(ticketChannels).describe('How it came in'),
  requester: person.nullable().describe('Who asks'),
  assignee: person.nullable().describe('Who works on it'),
  tags,
  custom_fields: customFields,
  external_id: z.string().min(1).max(255).nullable().describe('Its id in another system'),
  due_at: givenTime.nullable().describe('When it is to be solved'),
};

/** What only the server sets. */
const readOnly = {
  id: z.uuid().meta({ readOnly: true, description: 'Names the ticket, for ever' }),
  created_at: timestamp.meta({ readOnly: true, description: 'When it was added' }),
  updated_at: timestamp.meta({ readOnly: true, description: 'When it was last changed' }),
  version: z.int().min(1).meta({ readOnly: true, description: 'Counts its changes from 1' }),
};

const { id, ...versioning } = readOnly;

/** The ticket as every format shows it. */
export const ticketSchema = z.strictObject({
  id,
  ...writable,
  due_at: timestamp.nullable().describe('When it is to be solved'),
  ...versioning,
});

export type Ticket = Readonly<z.output<typeof ticketSchema>>;

/** What `POST /tickets` takes. Only the subject is required. */
export const newTicketSchema = z.strictObject({
  ...writable,
  description: writable.description.default(''),
  status: writable.status.default('new'),
  priority: writable.priority.default('normal'),
  type: writable.type.default(null),
  channel: writable.channel.default('api'),
  requester: writable.requester.default(null),
  assignee: writable.assignee.default(null),
  tags: writable.tags.default([]),
  custom_fields: writable.custom_fields.default({}),
  external_id: writable.external_id.default(null),
  due_at: writable.due_at.default(null),
});

export type NewTicket = z.output<typeof newTicketSchema>;

/**
 * What `PUT` takes: any of the writable fields, and the read-only ones as they were read, so that a client may send
 * back a whole ticket it was given.
 */
export const ticketEditSchema = z.strictObject({ id, ...writable, ...versioning }).partial();

export type TicketEdit = Partial<Ticket>;
export type TicketChanges = Partial<NewTicket>;

/** A new ticket at version 1. */
export function createTicket(input: NewTicket, { id, now }: { id: string; now: Date }): Ticket {
  const at = now.toISOString();
  return Object.freeze({ id, ...input, created_at: at, updated_at: at, version: 1 });
}

/**
 * The ticket with `changes` applied: the same object when they change nothing, else the next version. `updated_at`
 * never runs backwards, whatever the clock does.
 */
export function changeTicket(ticket: Ticket, changes: TicketChanges, { now }: { now: Date }): Ticket {
  const next = { ...ticket, ...changes };
  if (isDeepStrictEqual(next, ticket)) return ticket;
  const at = now.toISOString();
  const ranBackwards = at < ticket.updated_at;
  return Object.freeze({
    ...next,
    updated_at: ranBackwards ? ticket.updated_at : at,
    version: ticket.version + 1,
  });
}
