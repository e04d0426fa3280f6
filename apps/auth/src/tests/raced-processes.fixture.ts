import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { exampleAccount } from '../accounts/account/account.fixture.ts';
import { createPasswordHasher } from '../accounts/passwords/password-hasher.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { TestDatabase } from '../storage/test-database.fixture.ts';
import { startBalancedServers } from './balanced-servers.fixture.ts';
import { password } from './test-server.fixture.ts';

const hasher = createPasswordHasher({ concurrency: 1, maxWaiting: 1 });
const unlimited = {
  SIGN_IN_FAILURES_PER_ACCOUNT: '0',
  SIGN_IN_FAILURES_PER_ACCOUNT_AND_NETWORK: '0',
  SIGN_IN_FAILURES_PER_NETWORK: '0',
};

/** Starts two processes on a database, to which the test adds accounts. */
export async function startRacedProcesses(
  database: TestDatabase,
  env: Readonly<Record<string, string>> = {},
) {
  const { url: base, database: name } = database.location;
  const MAIL_FOLDER = join(tmpdir(), `keydesk-mail-${uuidv7()}`);
  const storage = await openStorage(database.location);
  const STORAGE_URL = name === undefined ? base : Object.assign(new URL(base), { pathname: `/${name}` }).href;
  const MASTER_SECRET = randomBytes(32).toString('base64url');
  // Passkeys need a host name.
  const servers = await startBalancedServers(
    { ...unlimited, ...env, MASTER_SECRET, MAIL_FOLDER, STORAGE_URL },
    'localhost',
  );
  return {
    url: servers.url,
    identities: storage.identities,
    accounts: storage.accounts,
    async addAccount() {
      const passwordHash = await hasher.hash(password);
      const account = exampleAccount({ passwordHash, emailVerified: true });
      await storage.accounts.insert(account);
      return account;
    },
    async stop() {
      await servers.stop();
      await storage.close();
      await database.drop();
      await rm(MAIL_FOLDER, { recursive: true, force: true });
    },
  };
}
