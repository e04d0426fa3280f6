import { z } from 'zod';
import { outputTimestamp } from '../../wire/schema/scalars.ts';

/** Resources that administrators define, and whose changes are events of no ticket. */
const definedResources = ['ticket_status', 'ticket_type', 'ticket_priority', 'ticket_field'] as const;

/** Types of events of definitions. */
export const definitionEventTypes = [
  ...definedResources.flatMap(
    (resource) => [`${resource}.created`, `${resource}.changed`, `${resource}.removed`] as const,
  ),
  'role.changed',
] as const;

export const eventTypes = [
  'ticket.created',
  'ticket.changed',
  'ticket.deleted',
  'ticket.restored',
  'reply.added',
  'reply.changed',
  'reply.removed',
  ...definitionEventTypes,
] as const;

/** A value of a field, flat: people by their e-mail address, links as `type id`. */
const eventValue = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string()).meta({ item: 'item' }), z.null()])
  .meta({ title: 'EventValue' });

const fieldChangeSchema = z
  .strictObject({
    field: z
      .string()
      .describe(
        'Name of the changed field, such as `status`, `custom_fields.floor`, `body` of a reply, `titles.de` of a definition, or `rights.set_priority` of a role',
      ),
    from: eventValue,
    to: eventValue,
  })
  .meta({ title: 'FieldChange' });

export type FieldChange = Readonly<z.output<typeof fieldChangeSchema>>;

/** Actor of an event: a person, a machine client in its own name, or the helpdesk itself. */
const actorSchema = z
  .strictObject({
    type: z.enum(['person', 'client', 'system']),
    id: z.string().nullable().describe('Id of the person or the client'),
    name: z.string().nullable().describe('Display name'),
  })
  .meta({ title: 'EventActor' });

export type Actor = Readonly<z.output<typeof actorSchema>>;

/** Subject of an event. */
const resourceSchema = z
  .strictObject({
    type: z.enum(['ticket', 'reply', ...definedResources, 'role']),
    id: z.string().describe('The `id` of the resource'),
  })
  .meta({ title: 'EventResource', description: 'The resource that changed' });

export type EventResource = Readonly<z.output<typeof resourceSchema>>;

/** One change of a resource: who changed what from what to what, through which client, when. */
export const auditEventSchema = z.strictObject({
  id: z.uuid(),
  ticket_id: z
    .uuid()
    .nullable()
    .describe('Id of the ticket that changed, or whose reply changed; null for a definition or role'),
  reply_id: z.uuid().nullable().describe('Id of the reply that changed; null for other events'),
  resource: resourceSchema,
  type: z.enum(eventTypes),
  actor: actorSchema,
  client_id: z.string().nullable().describe('Id of the client that made the change'),
  changes: z.array(fieldChangeSchema).meta({ item: 'change' }),
  created_at: outputTimestamp,
});

export type AuditEvent = Readonly<z.output<typeof auditEventSchema>>;

/** A stored event. Events of tickets and replies store no resource, because their ids identify it. */
export interface StoredEvent extends Omit<AuditEvent, 'resource'> {
  /** Of events without a ticket. */
  readonly resource?: EventResource;
}

/** An event with its public part. */
export interface EventRecord {
  readonly event: StoredEvent;
  /** Changes that customers see; `undefined` hides the event from them. */
  readonly publicChanges?: readonly FieldChange[] | undefined;
}

/** Returns the event as it is sent. */
export function toAuditEvent(event: StoredEvent): AuditEvent {
  const { id, ticket_id, reply_id, ...others } = event;
  return Object.freeze({ id, ticket_id, reply_id, resource: toTicketResource(event), ...others });
}

function toTicketResource({ ticket_id, reply_id }: StoredEvent): EventResource {
  return reply_id === null ? { type: 'ticket', id: ticket_id ?? '' } : { type: 'reply', id: reply_id };
}

/** An event without its author and time. */
export interface EventDraft extends Pick<StoredEvent, 'type' | 'changes'> {
  reply_id?: string;
  publicChanges?: EventRecord['publicChanges'];
}
