import { createDocumentSchema } from '@keydesk/storage/mongo-documents';
import type { ClientSession, Connection } from 'mongoose';
import type { ClientLogo } from '../../../clients/logo/client-logo.ts';

type LogoDocument = ClientLogo & { _id: string };

/** Creates the store of client logos in MongoDB. A logo has the id of its client. */
export function createMongoClientLogos(connection: Connection) {
  const schema = createDocumentSchema<LogoDocument>({
    _id: String,
    mediaType: String,
    digest: String,
    bytes: Buffer,
    createdAt: Date,
  });
  const logos = connection.model<LogoDocument>('ClientLogo', schema, 'client_logos');

  return {
    async find(clientId: string): Promise<ClientLogo | undefined> {
      const found = await logos.findOne({ _id: clientId }).lean();
      if (!found) return undefined;
      const { _id, bytes, ...members } = found;
      return { ...members, bytes: Buffer.from(bytes.buffer) };
    },
    /** Sets or removes a logo in the transaction that changes the client. */
    async set(clientId: string, logo: ClientLogo | null, session: ClientSession): Promise<void> {
      if (logo === null) await logos.deleteOne({ _id: clientId }, { session });
      else await logos.updateOne({ _id: clientId }, { $set: logo }, { session, upsert: true });
    },
  };
}
