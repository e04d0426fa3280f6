import { openMongo } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { createMongoArtifactStore } from './artifacts.ts';

/** Redeems the refresh token with the given key and is killed just before the commit. */
const [url = '', database = '', key = ''] = process.argv.slice(2);
const connection = await openMongo({ url, database });
connection.getClient().on('commandStarted', ({ commandName }) => {
  if (commandName === 'commitTransaction') process.kill(process.pid, 'SIGKILL');
});
const artifacts = createMongoArtifactStore(connection, createTransactions(connection));
await artifacts.redeem(key, new Date(), {
  issued: { model: 'RefreshToken', key: 'never-committed', payload: new Uint8Array() },
});
