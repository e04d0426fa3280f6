import { openStorage } from '../storage/open-storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import { masterSecret, startTestServer } from '../tests/test-server.fixture.ts';
import { runCli } from './program.ts';

/** Starts a server on a new database; `run` executes commands on it in this process. */
export async function startOperatedServer(env: Readonly<Record<string, string>> = {}) {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const server = await startTestServer(storage);
  return {
    server,
    storage,
    async run(...args: string[]) {
      const [stdout, errors]: [string[], string[]] = [[], []];
      const code = await runCli(args, {
        env: { STORAGE_URL: database.location.url, MASTER_SECRET: masterSecret, ...env },
        print: (text) => stdout.push(text),
        printError: (text) => errors.push(text),
        readInput: async () => '',
      });
      return { code, stdout: stdout.join(''), stderr: errors.join('') };
    },
    async stop() {
      await server.stop();
      await storage.close();
      await database.drop();
    },
  };
}
