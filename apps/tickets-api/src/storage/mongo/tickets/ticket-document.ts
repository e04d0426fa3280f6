import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, type Model, Schema } from 'mongoose';
import type { TicketRecord } from '../../../helpdesk/commit/ticket-commit.ts';
import { listReaders, type Ticket } from '../../../helpdesk/tickets/ticket.ts';

/** Custom field as a pair: its key is data, so it must never be an operator or a path, and one index serves all. */
interface CustomField {
  key: string;
  value: Ticket['custom_fields'][string];
}

type NullableTime =
  | 'due_at'
  | 'first_replied_at'
  | 'last_reply_at'
  | 'last_customer_reply_at'
  | 'waiting_since'
  | 'solved_at'
  | 'closed_at'
  | 'deleted_at';
type Time = 'created_at' | 'updated_at';

/** Ticket as MongoDB stores it. */
export interface TicketDocument
  extends Omit<Ticket, 'id' | 'custom_fields' | Time | NullableTime>,
    Record<Time, Date>,
    Record<NullableTime, Date | null> {
  _id: string;
  custom_fields: CustomField[];
  /** Ids of the customers who see it. */
  readers: string[];
  /** Whether `deleted_at` is set; the first field of every list index. */
  is_deleted: boolean;
  public_version: number;
  public_updated_at: Date;
  /** Client within which `external_id` is unique; absent if it need not be. */
  external_id_client?: string;
  /** Ids of the staff among `requester` and `cc`; absent without staff. */
  staff_ids?: string[];
}

export function toTicketDocument(record: TicketRecord): TicketDocument {
  const { ticket, publicVersion, publicUpdatedAt, externalIdClient, staffIds } = record;
  const { id, ...same } = ticket;
  return {
    _id: id,
    ...same,
    custom_fields: Object.entries(ticket.custom_fields).map(([key, value]) => ({ key, value })),
    due_at: toDate(ticket.due_at),
    first_replied_at: toDate(ticket.first_replied_at),
    last_reply_at: toDate(ticket.last_reply_at),
    last_customer_reply_at: toDate(ticket.last_customer_reply_at),
    waiting_since: toDate(ticket.waiting_since),
    solved_at: toDate(ticket.solved_at),
    closed_at: toDate(ticket.closed_at),
    deleted_at: toDate(ticket.deleted_at),
    created_at: new Date(ticket.created_at),
    updated_at: new Date(ticket.updated_at),
    readers: [...listReaders(ticket)],
    is_deleted: ticket.deleted_at !== null,
    public_version: publicVersion,
    public_updated_at: new Date(publicUpdatedAt),
    ...(externalIdClient !== undefined && { external_id_client: externalIdClient }),
    ...(staffIds && { staff_ids: [...staffIds] }),
  };
}

export function toTicketRecord(document: TicketDocument): TicketRecord {
  const { external_id_client: externalIdClient, staff_ids: staffIds } = document;
  return deepFreeze({
    ticket: toTicket(document),
    publicVersion: document.public_version,
    publicUpdatedAt: document.public_updated_at.toISOString(),
    ...(externalIdClient !== undefined && { externalIdClient }),
    ...(staffIds && { staffIds }),
  });
}

function toTicket(document: TicketDocument): Ticket {
  return {
    id: document._id,
    subject: document.subject,
    description: document.description,
    status: document.status,
    status_category: document.status_category,
    priority: document.priority,
    type: document.type,
    channel: document.channel,
    requester: document.requester,
    assignee: document.assignee,
    cc: document.cc,
    followers: document.followers,
    tags: document.tags,
    custom_fields: Object.fromEntries(document.custom_fields.map(({ key, value }) => [key, value])),
    external_id: document.external_id,
    due_at: toTime(document.due_at),
    follow_up_of: document.follow_up_of,
    links: document.links,
    first_replied_at: toTime(document.first_replied_at),
    last_reply_at: toTime(document.last_reply_at),
    last_customer_reply_at: toTime(document.last_customer_reply_at),
    waiting_since: toTime(document.waiting_since),
    reply_count: document.reply_count,
    solved_at: toTime(document.solved_at),
    closed_at: toTime(document.closed_at),
    deleted_at: toTime(document.deleted_at),
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
    version: document.version,
  };
}

function toDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function toTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** Creates the model of tickets, whose schema rejects unknown fields. */
export function createTicketModel(connection: Connection): Model<TicketDocument> {
  const person = createPartSchema({ id: String, email: String, name: String });
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
