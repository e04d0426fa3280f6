import { openStorage } from '../storage/open-storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import { masterSecret, startTestServer } from '../test-server.fixture.ts';
import { runCli } from './program.ts';

/** A server on a database of its own, and the commands on it, which run in this process. */
export async function startOperatedServer(env: Readonly<Record<string, string>> = {}) {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const server = await startTestServer(storage);
  return {
    server,
    storage,
    async run(...args: string[]) {
      const [said, problems]: [string[], string[]] = [[], []];
      const code = await runCli(args, {
        env: { STORAGE_URL: database.location.url, MASTER_SECRET: masterSecret, ...env },
        print: (text) => said.push(text),
        printError: (text) => problems.push(text),
        readInput: async () => '',
      });
      return { code, said: said.join(''), problem: problems.join('') };
    },
    async stop() {
      await server.stop();
      await storage.close();
      await database.drop();
    },
  };
}
