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

const email = z.email().max(254).describe('An e-mail address');

/** Somebody a ticket refers to. E-mail addresses are compared without regard to case and kept in lower case. */
const person = z.strictObject({
  email: email.transform((address) => address.toLowerCase()),
  name: z.string().min(1).max(200).nullable().default(null),
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
  .refine((fields) => Object.keys(fields).length <= 100, 'must not have more than 100 fields');

const tags = z
  .array(tag)
  .max(100)
  .refine((given) => new Set(given).size === given.length, 'must not repeat a tag')
  .meta({ item: 'tag' });

/** What a caller may set, and how long it may be. */
const writable = {
  subject: z.string().trim().min(1).max(255),
  description: z.string().max(65_536),
  status: z.enum(ticketStatuses),
  priority: z.enum(ticketPriorities),
  type: z.enum(ticketTypes).nullable(),
  channel: z.enum(ticketChannels),
  requester: person.nullable(),
  assignee: person.nullable(),
  tags,
  custom_fields: customFields,
  external_id: z.string().min(1).max(255).nullable(),
  due_at: givenTime.nullable(),
};

/** The ticket as every format shows it: `version` counts its changes from 1. */
export const ticketSchema = z.strictObject({
  id: z.uuid(),
  ...writable,
  due_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  version: z.int().min(1),
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

/** What `PUT` and `PATCH` take after read-only members have been compared: any of the writable fields. */
export const ticketChangesSchema = z.strictObject(writable).partial();

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
