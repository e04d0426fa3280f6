import { type Connection, type Model, Schema } from 'mongoose';
import type {
  EventRecord,
  EventResource,
  FieldChange,
  StoredEvent,
} from '../../helpdesk/history/audit-event.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema, createPartSchema } from './document-schema.ts';

/** Event as MongoDB stores it. */
export interface EventDocument extends Omit<StoredEvent, 'id' | 'created_at' | 'resource'> {
  _id: string;
  created_at: Date;
  /** Absent if the ids of ticket and reply identify it. */
  resource?: { type: string; id: string };
  /** Whether customers see it, with `public_changes`. */
  is_public: boolean;
  public_changes: FieldChange[];
}

export const eventIndexes = [
  { name: 'by_ticket', key: { ticket_id: 1, _id: 1 } as const },
  { name: 'by_ticket_and_visibility', key: { ticket_id: 1, is_public: 1, _id: 1 } as const },
  { name: 'in_order', key: { created_at: 1, _id: 1 } as const },
  { name: 'by_actor', key: { 'actor.id': 1, created_at: 1, _id: 1 } as const },
  { name: 'by_type', key: { type: 1, created_at: 1, _id: 1 } as const },
];

export function createEventModel(connection: Connection): Model<EventDocument> {
  const { Mixed } = Schema.Types;
  const change = createPartSchema({ field: String, from: Mixed, to: Mixed });
  const schema = createDocumentSchema<EventDocument>({
    _id: String,
    resource: createPartSchema({ type: String, id: String }),
    ticket_id: String,
    reply_id: String,
    type: String,
    actor: createPartSchema({ type: String, id: String, name: String }),
    client_id: String,
    changes: [change],
    created_at: Date,
    is_public: Boolean,
    public_changes: [change],
  });
  return connection.model<EventDocument>('Event', schema, 'events');
}

export function toEventDocument({ event, publicChanges }: EventRecord): EventDocument {
  const { id, created_at, ...same } = event;
  return {
    _id: id,
    ...same,
    created_at: new Date(created_at),
    is_public: publicChanges !== undefined,
    public_changes: [...(publicChanges ?? [])],
  };
}

export function toEventRecord(document: EventDocument): EventRecord {
  const { resource } = document;
  const event: StoredEvent = {
    id: document._id,
    ...(resource && { resource: resource as EventResource }),
    ticket_id: document.ticket_id,
    reply_id: document.reply_id,
    type: document.type,
    actor: document.actor,
    client_id: document.client_id,
    changes: document.changes,
    created_at: document.created_at.toISOString(),
  };
  return deepFreeze({ event, ...(document.is_public && { publicChanges: document.public_changes }) });
}
