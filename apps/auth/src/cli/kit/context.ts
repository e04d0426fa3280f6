import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CliOutput } from '@keydesk/cli';
import { type Environment, loadConfig } from '@keydesk/config';
import { requireDatabaseFile, toDataDir, toSqlitePath, withStorageUrl } from '@keydesk/storage/url';
import { v7 as uuidv7 } from 'uuid';
import type { Accounts } from '../../accounts/accounts.ts';
import { type Audit, createDirectAudit } from '../../audit/audit.ts';
import type { Clients } from '../../clients/clients.ts';
import {
  createInitialAccessTokens,
  type InitialAccessTokens,
} from '../../clients/registration/initial-access-tokens.ts';
import type { TrustMails } from '../../clients/trust/trust-mails.ts';
import type { AccountServices } from '../../composition/accounts.ts';
import { settings, toKeyTimings } from '../../config.ts';
import { type DerivedKeys, deriveKeys } from '../../keys/derived-keys.ts';
import type { KeyTimings } from '../../keys/key-schedule.ts';
import { openSigningKey } from '../../keys/signing-key.ts';
import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';

/** Environment, input and output of the commands. */
export interface CliContext extends CliOutput {
  env: Environment;
  /** Reads all of standard input. */
  readInput: () => Promise<string>;
}

/** Failure of a command. The message is one sentence that says how to fix it. */
export class CliError extends Error {
  override name = 'CliError';
}

/** Opens the clients of the server for a command. */
export async function withClients<T>(
  { env }: CliContext,
  work: (clients: Clients) => Promise<T>,
): Promise<T> {
  const { openClients } = await import('./client-services.ts');
  return withDerivedKeys(env, async (storage, derived) => work(openClients(storage, derived)));
}

/** Opens the accounts of the server for a command and waits until its mails are sent. */
export async function withAccounts<T>(
  context: CliContext,
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  return withAccountServices(context, ({ accounts }) => work(accounts));
}

/** Opens clients and the mails about their requests for a command. */
export async function withTrust<T>(
  context: CliContext,
  work: (parts: { clients: Clients; mails: TrustMails }) => Promise<T>,
): Promise<T> {
  return withAccountServices(context, ({ trustMails }, clients) => work({ clients, mails: trustMails }));
}

/** Opens the owners of applications for a command and waits until its mails are sent. */
export async function withOwners<T>(
  context: CliContext,
  work: (parts: { clients: Clients; accounts: Accounts; accountServices: AccountServices }) => Promise<T>,
): Promise<T> {
  return withAccountServices(context, (accountServices, clients) =>
    work({ clients, accounts: accountServices.accounts, accountServices }),
  );
}

/** Opens the stored accounts for a command that only reads them; needs neither the master secret nor mail. */
export async function withStoredAccounts<T>(
  { env }: CliContext,
  work: (store: Storage['accounts']) => Promise<T>,
): Promise<T> {
  return withStorage(env, ({ accounts }) => work(accounts));
}

async function withAccountServices<T>(
  { env }: CliContext,
  work: (accountServices: AccountServices, clients: Clients) => Promise<T>,
): Promise<T> {
  const { openClients } = await import('./client-services.ts');
  const { prepareAccountServices } = await import('./account-services.ts');
  const open = prepareAccountServices(env);
  return withDerivedKeys(env, async (storage, derived) => {
    const accountServices = open({ storage, derived });
    try {
      return await work(accountServices, openClients(storage, derived));
    } finally {
      await accountServices.stop();
    }
  });
}

/** Derives the keys, after it has checked that the master secret is the server's. */
async function withDerivedKeys<T>(
  env: Environment,
  work: (storage: Storage, keys: DerivedKeys) => Promise<T>,
): Promise<T> {
  const given = { ...env, ...findMasterSecret(env) };
  const { masterSecret } = loadConfig({ masterSecret: settings.masterSecret }, given);
  return withStorage(env, async (storage) => {
    const keys = deriveKeys(masterSecret);
    await assertMasterSecret(storage, keys);
    return work(storage, keys);
  });
}

/** Opens the sealed signing keys for a command. */
export async function withKeys<T>(
  { env }: CliContext,
  work: (keys: Storage['keys'], timings: KeyTimings, audit: Pick<Audit, 'record'>) => Promise<T>,
): Promise<T> {
  const { keyPollSeconds, keyPublicationLeadSeconds, keyRotationDays } = settings;
  const config = loadConfig({ keyPollSeconds, keyPublicationLeadSeconds, keyRotationDays }, env);
  return withStorage(env, ({ keys, audit }) => work(keys, toKeyTimings(config), createDirectAudit(audit)));
}

/** Opens sealed data for a command that does not decrypt it. */
export async function withSealedData<T>(
  { env }: CliContext,
  work: (sealed: Pick<Storage, 'keys' | 'artifacts'>, audit: Pick<Audit, 'record'>) => Promise<T>,
): Promise<T> {
  return withStorage(env, (storage) => work(storage, createDirectAudit(storage.audit)));
}

/** Opens the initial access tokens for a command. */
export async function withInitialAccessTokens<T>(
  { env }: CliContext,
  work: (parts: { tokens: InitialAccessTokens; audit: Pick<Audit, 'record'> }) => Promise<T>,
): Promise<T> {
  return withStorage(env, ({ initialAccessTokens: store, audit }) =>
    work({
      tokens: createInitialAccessTokens({ store, now: () => new Date(), newId: uuidv7 }),
      audit: createDirectAudit(audit),
    }),
  );
}

/** Opens the queue of security events for a command. */
export async function withSecurityEvents<T>(
  { env }: CliContext,
  work: (parts: { store: Storage['securityEvents']; audit: Pick<Audit, 'record'> }) => Promise<T>,
): Promise<T> {
  return withStorage(env, ({ securityEvents: store, audit }) =>
    work({ store, audit: createDirectAudit(audit) }),
  );
}

/** Opens the audit log for a command. */
export async function withAudit<T>(
  { env }: CliContext,
  work: (store: Storage['audit']) => Promise<T>,
): Promise<T> {
  return withStorage(env, ({ audit }) => work(audit));
}

async function withStorage<T>(env: Environment, work: (storage: Storage) => Promise<T>): Promise<T> {
  const url = loadStorageUrl(env);
  if (toSqlitePath(url) !== undefined) requireDatabaseFile(url);
  const { canMigrate } = loadConfig({ canMigrate: settings.canMigrate }, env);
  const storage = await openStorage({ url }, { canMigrate });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Returns the configured storage URL, or that of `npm start`. */
export function loadStorageUrl(env: Environment): string {
  return loadConfig({ storageUrl: settings.storageUrl }, withStorageUrl(env, 'auth.db')).storageUrl;
}

/** Returns the master secret file of `npm start`, unless another secret is set. */
function findMasterSecret(env: Environment): Environment {
  if (env.MASTER_SECRET || env.MASTER_SECRET_FILE) return {};
  const path = join(toDataDir(env), 'master-secret');
  if (existsSync(path)) return { MASTER_SECRET_FILE: path };
  throw new CliError(
    `No readable master secret at ${path}; start the server once (npm start), or set MASTER_SECRET or MASTER_SECRET_FILE.`,
  );
}

/** Rejects another master secret, because client secrets created with it would never work. */
async function assertMasterSecret({ keys }: Storage, { signingKeys }: DerivedKeys): Promise<void> {
  const [key] = (await keys.load()).keys;
  if (!key) throw new CliError('The database is not initialized; start the server once (npm start).');
  openSigningKey(key, signingKeys);
}
