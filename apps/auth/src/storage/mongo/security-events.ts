import { deleteExpired } from '@keydesk/storage/mongo-deletion';
import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { Transactions } from '@keydesk/storage/mongo-transactions';
import { type Connection, trusted } from 'mongoose';
import type { SecurityEvent } from '../../security-events/security-event.ts';
import type { SecurityEventStore } from '../../security-events/security-event-store.ts';

type EventDocument = Omit<SecurityEvent, 'id'> & { _id: string };

function defineSecurityEvents(connection: Connection) {
  const schema = createDocumentSchema<EventDocument>({
    _id: String,
    receiver: String,
    type: String,
    accountId: String,
    occurredAt: Date,
    availableAt: Date,
    expiresAt: Date,
    rejection: String,
  });
  schema.index({ receiver: 1, rejection: 1, _id: 1 });
  schema.index({ expiresAt: 1 });
  return connection.model<EventDocument>('SecurityEvent', schema, 'security_events');
}

/** Creates the queue of security events in MongoDB. */
export function createMongoSecurityEventStore(
  connection: Connection,
  transactions: Pick<Transactions, 'run'>,
): SecurityEventStore {
  const events = defineSecurityEvents(connection);

  async function acknowledge(receiver: string, _id: string): Promise<SecurityEvent[]> {
    const removed = await events.findOneAndDelete({ _id, receiver }).lean();
    return removed ? [toEvent(removed)] : [];
  }

  return {
    append: (added) =>
      transactions.run(async (session) => {
        await events.create(added.map(toDocument), { session, ordered: true });
      }),
    async listDue(receiver, now, limit) {
      const due = { availableAt: trusted({ $lte: now }), expiresAt: trusted({ $gt: now }) };
      const found = events.find({ receiver, rejection: null, ...due });
      return (await found.sort({ _id: 1 }).limit(limit).lean()).map(toEvent);
    },
    acknowledge: async (receiver, ids) =>
      (await Promise.all(ids.map((id) => acknowledge(receiver, id)))).flat(),
    async reject(receiver, _id, rejection) {
      const pending = { _id, receiver, rejection: null };
      const rejected = await events
        .findOneAndUpdate(pending, { $set: { rejection } }, { returnDocument: 'after' })
        .lean();
      return rejected ? toEvent(rejected) : undefined;
    },
    async retry(_id) {
      const rejected = { _id, rejection: trusted({ $ne: null }) };
      const { modifiedCount } = await events.updateOne(rejected, { $set: { rejection: null } });
      return modifiedCount === 1;
    },
    async list({ afterId = '', limit }) {
      const page = events.find({ _id: trusted({ $gt: afterId }) }).sort({ _id: 1 });
      return (await page.limit(limit).lean()).map(toEvent);
    },
    purgeExpired: (now, limit) => deleteExpired(events, now, limit),
  };
}

function toDocument({ id, ...members }: SecurityEvent): EventDocument {
  return { _id: id, ...members };
}

function toEvent({ _id, ...members }: EventDocument): SecurityEvent {
  return { id: _id, ...members };
}
