import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { ClientSession, Connection, Model } from 'mongoose';

/** Document that every addition to a bounded collection increments. */
export interface AdditionGateDocument {
  _id: string;
  /** Number of additions. */
  passed: number;
}

export function createAdditionGateModel(connection: Connection): Model<AdditionGateDocument> {
  const schema = createDocumentSchema<AdditionGateDocument>({ _id: String, passed: Number });
  return connection.model<AdditionGateDocument>('TicketFieldGate', schema, 'ticket_field_gate');
}

/** Serializes additions: transactions that insert different documents never conflict, so both would count too few. */
export async function passGate(
  gate: Model<AdditionGateDocument>,
  _id: string,
  session: ClientSession,
): Promise<void> {
  await gate.updateOne({ _id: { $eq: _id } }, { $inc: { passed: 1 } }, { upsert: true, session });
}
