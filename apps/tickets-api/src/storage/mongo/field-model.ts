import type { Connection, Model } from 'mongoose';
import type { TicketField } from '../../helpdesk/fields/ticket-field.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema } from './document-schema.ts';

/** Custom field definition as MongoDB stores it. */
export interface FieldDocument extends Omit<TicketField, 'id' | 'created_at' | 'updated_at'> {
  _id: string;
  created_at: Date;
  updated_at: Date;
}

export const fieldIndexes = [{ name: 'key', key: { key: 1 } as const, unique: true }];

export function createFieldModel(connection: Connection): Model<FieldDocument> {
  const schema = createDocumentSchema<FieldDocument>({
    _id: String,
    key: String,
    title: String,
    // Wrapped, because mongoose has an option of the same name.
    type: { type: String },
    options: [String],
    required_on: [String],
    visible_to_customers: Boolean,
    editable_by_customers: Boolean,
    position: Number,
    created_at: Date,
    updated_at: Date,
    version: Number,
  });
  return connection.model<FieldDocument>('TicketField', schema, 'ticket_fields');
}

export function toFieldDocument({ id, created_at, updated_at, ...same }: TicketField): FieldDocument {
  return { _id: id, ...same, created_at: new Date(created_at), updated_at: new Date(updated_at) };
}

export function toField(document: FieldDocument): TicketField {
  return deepFreeze({
    id: document._id,
    key: document.key,
    title: document.title,
    type: document.type,
    options: document.options,
    required_on: document.required_on,
    visible_to_customers: document.visible_to_customers,
    editable_by_customers: document.editable_by_customers,
    position: document.position,
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
    version: document.version,
  });
}
