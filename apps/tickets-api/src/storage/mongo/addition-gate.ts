import type { ClientSession, Connection, Model } from 'mongoose';
import { createDocumentSchema } from './document-schema.ts';

/** A document that every addition to a bounded collection counts up. */
export interface AdditionGateDocument {
  _id: string;
  /** The number of additions that have passed. */
  passed: number;
}

export function createAdditionGateModel(connection: Connection): Model<AdditionGateDocument> {
  const schema = createDocumentSchema<AdditionGateDocument>({ _id: String, passed: Number });
  return connection.model<AdditionGateDocument>('TicketFieldGate', schema, 'ticket_field_gate');
}

/** Two transactions that each add another document never conflict, so that both would count as if they were alone. */
export async function passGate(
  gate: Model<AdditionGateDocument>,
  _id: string,
  session: ClientSession,
): Promise<void> {
  await gate.updateOne({ _id: { $eq: _id } }, { $inc: { passed: 1 } }, { upsert: true, session });
}
