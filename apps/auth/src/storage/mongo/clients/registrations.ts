import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import { type Connection, trusted } from 'mongoose';
import type { Registration, RegistrationStore } from '../../../clients/registration/registration-store.ts';

type RegistrationDocument = Omit<Registration, 'clientId'> & { _id: string };

function defineRegistrations(connection: Connection) {
  const schema = createDocumentSchema<RegistrationDocument>({
    _id: String,
    tokenDigest: String,
    createdAt: Date,
    activeAt: Date,
  });
  schema.index({ activeAt: 1 });
  return connection.model<RegistrationDocument>('Registration', schema, 'registrations');
}

/** Creates the registration store in MongoDB. */
export function createMongoRegistrationStore(connection: Connection): RegistrationStore {
  const registrations = defineRegistrations(connection);

  return {
    async insert({ clientId, ...members }) {
      await registrations.create([{ _id: clientId, ...members }]);
    },
    async find(clientId) {
      const found = await registrations.findOne({ _id: clientId }).lean();
      return found ? toRegistration(found) : undefined;
    },
    async replaceToken(clientId, expectedDigest, digest) {
      const expected = { _id: clientId, tokenDigest: expectedDigest };
      const { modifiedCount } = await registrations.updateOne(expected, { $set: { tokenDigest: digest } });
      return modifiedCount === 1;
    },
    async recordActivity(clientId, at) {
      await registrations.updateOne({ _id: clientId }, { $max: { activeAt: at } });
    },
    async listIdle(before, limit) {
      const idle = registrations.find({ activeAt: trusted({ $lt: before }) }).sort({ activeAt: 1 });
      return (await idle.limit(limit).lean()).map(toRegistration);
    },
    async remove(clientId) {
      const { deletedCount } = await registrations.deleteOne({ _id: clientId });
      return deletedCount === 1;
    },
  };
}

function toRegistration({ _id, ...members }: RegistrationDocument): Registration {
  return { clientId: _id, ...members };
}
