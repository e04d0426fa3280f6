import { randomUUID } from 'node:crypto';
import { openMongo } from '@keydesk/storage/mongo';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { useStarted } from '@keydesk/testing';
import { createModels, listCollections, type MongoModels } from './schema.ts';

/** Creates the collections in a database of their own before the tests of a suite, and drops it afterwards. */
export function useModels(url: string): MongoModels {
  return useStarted(async () => {
    const connection = await openMongo({ url, database: `models-${randomUUID().slice(0, 8)}` });
    const models = createModels(connection);
    await createCollections(connection, listCollections(models));
    return {
      ...models,
      async stop() {
        await connection.dropDatabase();
        await connection.close();
      },
    };
  });
}
