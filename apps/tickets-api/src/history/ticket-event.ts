import { z } from 'zod';
import { writtenTimestamp } from '../formats/timestamp.ts';

export const ticketEventTypes = [
  'ticket.created',
  'ticket.changed',
  'ticket.deleted',
  'ticket.restored',
  'reply.added',
  'reply.changed',
  'reply.removed',
] as const;

/** A value of a field, flat: people by their e-mail address, links as `type id`. */
const eventValue = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string()).meta({ item: 'item' }), z.null()])
  .meta({ title: 'EventValue' });

const fieldChangeSchema = z
  .strictObject({
    field: z.string().describe('Such as `status`, `custom_fields.floor`, or `body` of a reply'),
    from: eventValue,
    to: eventValue,
  })
  .meta({ title: 'FieldChange' });

export type FieldChange = Readonly<z.output<typeof fieldChangeSchema>>;

/** Who did it: a person, a machine client in its own name, or the helpdesk itself. */
const actorSchema = z
  .strictObject({
    type: z.enum(['person', 'client', 'system']),
    id: z.string().nullable().describe('Of the person or the client'),
    name: z.string().nullable().describe('As it is to be shown'),
  })
  .meta({ title: 'EventActor' });

export type Actor = Readonly<z.output<typeof actorSchema>>;

/** One thing that happened to a ticket: who changed what from what to what, through which client, when. */
export const ticketEventSchema = z.strictObject({
  id: z.uuid(),
  ticket_id: z.uuid(),
  reply_id: z.uuid().nullable().describe('The reply that it happened to'),
  type: z.enum(ticketEventTypes),
  actor: actorSchema,
  client_id: z.string().nullable().describe('The client that it was done through'),
  changes: z.array(fieldChangeSchema).meta({ item: 'change' }),
  created_at: writtenTimestamp,
});

export type TicketEvent = Readonly<z.output<typeof ticketEventSchema>>;

/** An event as the store keeps it. */
export interface EventRecord {
  readonly event: TicketEvent;
  /** What customers are shown of it; `undefined`: they never learn of it. */
  readonly publicChanges?: readonly FieldChange[] | undefined;
}
