import { type Connection, type Model, Schema } from 'mongoose';
import type { Ticket } from '../../tickets/ticket.ts';
import { deepFreeze } from '../deep-freeze.ts';

/** A custom field as a pair: its name is data, so it can never be an operator or a path, and one index serves all. */
interface CustomField {
  key: string;
  value: Ticket['custom_fields'][string];
}

/** A ticket as MongoDB holds it. */
export interface TicketDocument
  extends Omit<Ticket, 'id' | 'custom_fields' | 'due_at' | 'created_at' | 'updated_at'> {
  _id: string;
  custom_fields: CustomField[];
  due_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The collection of tickets, whose schema refuses what it does not know. */
export function createTicketModel(connection: Connection): Model<TicketDocument> {
  const strict = { strict: 'throw', versionKey: false } as const;
  const person = new Schema({ email: String, name: String }, { ...strict, _id: false });
  const customField = new Schema({ key: String, value: Schema.Types.Mixed }, { ...strict, _id: false });
  const schema = new Schema<TicketDocument>(
    {
      _id: String,
      subject: String,
      description: String,
      status: String,
      priority: String,
      type: String,
      channel: String,
      requester: person,
      assignee: person,
      tags: [String],
      custom_fields: [customField],
      external_id: String,
      due_at: Date,
      created_at: Date,
      updated_at: Date,
      version: Number,
    },
    strict,
  );
  return connection.model('Ticket', schema, 'tickets');
}

export function toDocument({
  id,
  custom_fields,
  due_at,
  created_at,
  updated_at,
  ...same
}: Ticket): TicketDocument {
  return {
    _id: id,
    ...same,
    custom_fields: Object.entries(custom_fields).map(([key, value]) => ({ key, value })),
    due_at: due_at === null ? null : new Date(due_at),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}

export function toTicket({ _id, ...document }: TicketDocument): Ticket {
  return deepFreeze({
    id: _id,
    subject: document.subject,
    description: document.description,
    status: document.status,
    priority: document.priority,
    type: document.type,
    channel: document.channel,
    requester: document.requester,
    assignee: document.assignee,
    tags: document.tags,
    custom_fields: Object.fromEntries(document.custom_fields.map(({ key, value }) => [key, value])),
    external_id: document.external_id,
    due_at: document.due_at?.toISOString() ?? null,
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
    version: document.version,
  });
}
