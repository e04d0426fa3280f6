import { type Connection, type Model, Schema } from 'mongoose';
import { createDocumentSchema, createPartSchema, createReferenceSchema } from './document-schema.ts';
import type { TicketDocument } from './ticket-document.ts';

/** Creates the model of tickets, whose schema rejects unknown fields. */
export function createTicketModel(connection: Connection): Model<TicketDocument> {
  const person = createReferenceSchema();
  const schema = createDocumentSchema<TicketDocument>({
    _id: String,
    subject: String,
    description: String,
    status: String,
    status_category: String,
    priority: String,
    type: String,
    channel: String,
    requester: person,
    assignee: person,
    cc: [person],
    followers: [person],
    tags: [String],
    custom_fields: [createPartSchema({ key: String, value: Schema.Types.Mixed })],
    external_id: String,
    due_at: Date,
    follow_up_of: String,
    links: [createPartSchema({ type: String, ticket_id: String })],
    first_replied_at: Date,
    last_reply_at: Date,
    last_customer_reply_at: Date,
    waiting_since: Date,
    reply_count: Number,
    solved_at: Date,
    closed_at: Date,
    deleted_at: Date,
    created_at: Date,
    updated_at: Date,
    version: Number,
    readers: [String],
    is_deleted: Boolean,
    public_version: Number,
    public_updated_at: Date,
    external_id_client: String,
    staff_ids: { type: [String], default: undefined },
  });
  return connection.model<TicketDocument>('Ticket', schema, 'tickets');
}
