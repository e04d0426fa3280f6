import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, loadConfig } from '@keydesk/config';
import { dataDirOf, requireDatabaseFile, sqlitePathOf, withStorageUrl } from '@keydesk/storage/url';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { type AccountServices, createAccountServices } from '../account-services.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { loadCommonPasswords } from '../accounts/common-passwords.ts';
import { accountSettings } from '../accounts/settings.ts';
import { type Audit, createDirectAudit } from '../audit/audit.ts';
import { operator, withClientAudit } from '../audit/client-audit.ts';
import { assembleClients } from '../clients/assemble-clients.ts';
import type { Clients } from '../clients/clients.ts';
import type { TrustMails } from '../clients/trust-mails.ts';
import { issuerOf, settings, toKeyTimings } from '../config.ts';
import { type DerivedKeys, deriveKeys } from '../keys/derived-keys.ts';
import type { KeyTimings } from '../keys/key-schedule.ts';
import { openSigningKey } from '../keys/signing-key.ts';
import { mailSettings } from '../mail/settings.ts';
import {
  createInitialAccessTokens,
  type InitialAccessTokens,
} from '../registrations/initial-access-tokens.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';

/** What the commands work with. */
export interface CliContext {
  env: Environment;
  /** Writes to the standard output. */
  print: (text: string) => void;
  /** Everything on the standard input. */
  readInput: () => Promise<string>;
}

/** A command cannot do its work; the message is one sentence that says what to do about it. */
export class CliError extends Error {
  override name = 'CliError';
}

/** Runs work on the server's clients. */
export async function withClients<T>(
  { env }: CliContext,
  work: (clients: Clients) => Promise<T>,
): Promise<T> {
  return withServersKeys(env, async (storage, derived) => {
    return work(openClients(storage, derived));
  });
}

function openClients(storage: Storage, derived: DerivedKeys): Clients {
  const clients = assembleClients({ storage, derived, clock: Date.now });
  const audit = createDirectAudit(storage.audit);
  return withClientAudit(clients, { audit, author: operator, clock: Date.now });
}

/** Runs work on the server's accounts, and waits for the mails that it leads to. */
export async function withAccounts<T>(
  context: CliContext,
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  return withAccountServices(context, ({ accounts }) => work(accounts));
}

/** Runs work on what operators grant to clients, and on the mails to their owners. */
export async function withTrust<T>(
  context: CliContext,
  work: (parts: { clients: Clients; mails: TrustMails }) => Promise<T>,
): Promise<T> {
  return withAccountServices(context, ({ trustMails }, clients) => work({ clients, mails: trustMails }));
}

/** Runs work on the owners of applications, and waits for the mails that it leads to. */
export async function withOwners<T>(
  context: CliContext,
  work: (parts: { clients: Clients; accounts: Accounts; accountServices: AccountServices }) => Promise<T>,
): Promise<T> {
  return withAccountServices(context, (accountServices, clients) =>
    work({ clients, accounts: accountServices.accounts, accountServices }),
  );
}

async function withAccountServices<T>(
  { env }: CliContext,
  work: (accountServices: AccountServices, clients: Clients) => Promise<T>,
): Promise<T> {
  const { host, port, issuer, tlsCertFile, serviceName, brandColor } = settings;
  const own = { host, port, issuer, tlsCertFile, serviceName, brandColor };
  const needed = { ...own, ...accountSettings, ...mailSettings };
  const config = loadConfig(needed, { MAIL_FOLDER: join(dataDirOf(env), 'mail'), ...env });
  const commonPasswords = await loadCommonPasswords();
  const log = pino({ enabled: false });
  return withServersKeys(env, async (storage, keys) => {
    const deps = { config: { ...config, issuer: issuerOf(config) }, storage, log, commonPasswords };
    const accountServices = createAccountServices(
      { ...deps, clock: Date.now, audit: createDirectAudit(storage.audit) },
      keys,
    );
    try {
      return await work(accountServices, openClients(storage, keys));
    } finally {
      await accountServices.stop();
    }
  });
}

/** The master secret is that of the server, or nothing is done. */
async function withServersKeys<T>(
  env: Environment,
  work: (storage: Storage, keys: DerivedKeys) => Promise<T>,
): Promise<T> {
  const given = { ...env, ...masterSecretOf(env) };
  const { masterSecret } = loadConfig({ masterSecret: settings.masterSecret }, given);
  return withStorage(env, async (storage) => {
    const keys = deriveKeys(masterSecret);
    await assertServersSecret(storage, keys);
    return work(storage, keys);
  });
}

/** Runs work on the server's signing keys, which stay sealed. */
export async function withKeys<T>(
  { env }: CliContext,
  work: (keys: Storage['keys'], timings: KeyTimings, audit: Pick<Audit, 'record'>) => Promise<T>,
): Promise<T> {
  const { keyPollSeconds, keyPublicationLeadSeconds, keyRotationDays } = settings;
  const config = loadConfig({ keyPollSeconds, keyPublicationLeadSeconds, keyRotationDays }, env);
  return withStorage(env, ({ keys, audit }) => work(keys, toKeyTimings(config), createDirectAudit(audit)));
}

/** Runs work on what the server's keys have sealed, without them. */
export async function withSealed<T>(
  { env }: CliContext,
  work: (sealed: Pick<Storage, 'keys' | 'artifacts'>, audit: Pick<Audit, 'record'>) => Promise<T>,
): Promise<T> {
  return withStorage(env, (storage) => work(storage, createDirectAudit(storage.audit)));
}

/** Runs work on the tokens that programs register clients by. */
export async function withInitialAccessTokens<T>(
  { env }: CliContext,
  work: (parts: { tokens: InitialAccessTokens; audit: Pick<Audit, 'record'> }) => Promise<T>,
): Promise<T> {
  return withStorage(env, ({ initialAccessTokens: store, audit }) =>
    work({
      tokens: createInitialAccessTokens({ store, clock: Date.now, newId: uuidv7 }),
      audit: createDirectAudit(audit),
    }),
  );
}

/** Runs work on the audit record. */
export async function withAudit<T>(
  { env }: CliContext,
  work: (store: Storage['audit']) => Promise<T>,
): Promise<T> {
  return withStorage(env, ({ audit }) => work(audit));
}

async function withStorage<T>(env: Environment, work: (storage: Storage) => Promise<T>): Promise<T> {
  const url = storageUrlOf(env);
  if (sqlitePathOf(url) !== undefined) requireDatabaseFile(url);
  const storage = await openStorage({ url });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** The one that is set, or else that of `npm start`. */
export function storageUrlOf(env: Environment): string {
  return loadConfig({ storageUrl: settings.storageUrl }, withStorageUrl(env, 'auth.db')).storageUrl;
}

/** The secret that `npm start` made, when no other is set. */
function masterSecretOf(env: Environment): Environment {
  if (env.MASTER_SECRET || env.MASTER_SECRET_FILE) return {};
  const path = join(dataDirOf(env), 'master-secret');
  if (existsSync(path)) return { MASTER_SECRET_FILE: path };
  throw new CliError(
    `There is no master secret at ${path} that you may read: start the server once (npm start), or set MASTER_SECRET or MASTER_SECRET_FILE.`,
  );
}

/** Under another secret than the server's, a client's secret would be made that never works. */
async function assertServersSecret({ keys }: Storage, { signingKeys }: DerivedKeys): Promise<void> {
  const [key] = (await keys.load()).keys;
  if (!key) throw new CliError('The database has not seen a server yet: start it once (npm start).');
  openSigningKey(key, signingKeys);
}
