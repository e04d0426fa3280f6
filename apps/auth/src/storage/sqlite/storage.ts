import { openSqlite } from '@keydesk/storage/sqlite';
import { createSqliteLeases } from '@keydesk/storage/sqlite-leases';
import type { Storage } from '../storage.ts';
import { createSqliteAccountTokenStore } from './accounts/account-tokens.ts';
import { createSqliteAccountStore } from './accounts/accounts.ts';
import { createSqliteCredentialStore } from './accounts/credentials.ts';
import { createSqliteFactorStore } from './accounts/factors.ts';
import { createSqliteIdentityStore } from './accounts/identities.ts';
import { createSqliteArtifactStore } from './artifacts/artifacts.ts';
import { createSqliteTokenStatusStore } from './artifacts/token-statuses.ts';
import { createSqliteAuditStore } from './audit.ts';
import { createSqliteClientStore } from './clients/clients.ts';
import { createSqliteInitialAccessTokenStore } from './clients/initial-access-tokens.ts';
import { createSqliteRegistrationStore } from './clients/registrations.ts';
import { createSqliteKeyStore } from './keys.ts';
import { schema } from './migrations.ts';
import { createSqliteSecurityEventStore } from './security-events.ts';

/** Enough for the upper pages of every index, which are read most often. */
const CACHE_MIB = 8;

export interface SqliteStorageOptions {
  path: string;
  /** Whether a missing file and missing steps of the schema are created. Default: true. */
  canMigrate?: boolean;
}

/** Opens the storage in a SQLite file, which is created or migrated if necessary. */
export function openSqliteStorage(options: SqliteStorageOptions): Storage {
  const sqlite = openSqlite({ ...options, ...schema, cacheMiB: CACHE_MIB });
  const ping = sqlite.prepare('SELECT 1');
  return {
    accounts: createSqliteAccountStore(sqlite),
    accountTokens: createSqliteAccountTokenStore(sqlite),
    artifacts: createSqliteArtifactStore(sqlite),
    audit: createSqliteAuditStore(sqlite),
    clients: createSqliteClientStore(sqlite),
    credentials: createSqliteCredentialStore(sqlite),
    factors: createSqliteFactorStore(sqlite),
    identities: createSqliteIdentityStore(sqlite),
    initialAccessTokens: createSqliteInitialAccessTokenStore(sqlite),
    keys: createSqliteKeyStore(sqlite),
    leases: createSqliteLeases(sqlite),
    registrations: createSqliteRegistrationStore(sqlite),
    securityEvents: createSqliteSecurityEventStore(sqlite),
    tokenStatuses: createSqliteTokenStatusStore(sqlite),
    async ping() {
      ping.get();
    },
    close: sqlite.close,
  };
}
