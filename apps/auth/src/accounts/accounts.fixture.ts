import { loadConfig } from '@keydesk/config';
import type { RedisConnection } from '@keydesk/rate-limit';
import { v7 as newId } from 'uuid';
import { createAccountParts } from '../composition/accounts.ts';
import { createSealer } from '../keys/sealing.ts';
import { createSmtpMailer } from '../mail/smtp-mailer.ts';
import { type ReceivedMail, startSmtpServer } from '../mail/smtp-server.fixture.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import type { Account } from './account/account.ts';
import type { AccountEvent } from './account/account-event.ts';
import type { AccountLinks } from './account/account-operations.ts';
import { createBackgroundTasks } from './account/background-tasks.ts';
import { accountSettings } from './account/settings.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import type { NewAccountRequest } from './changes/administration.ts';
import { createTotpCodes } from './factors/totp.ts';
import type { BreachedPasswords } from './passwords/breached-passwords.ts';
import type { Argon2Parameters } from './passwords/password-hash.ts';

export const password = 'kindly yellow umbrella';
export const otherPassword = 'seven quiet harbours';

/** Default origin of the calls in tests. */
export const home = { address: '192.0.2.1' };

export interface TestAccountsOptions {
  /** Environment variables. */
  env?: Record<string, string> | undefined;
  redis?: RedisConnection | undefined;
  /** Cost of a hash (default: minimal). */
  passwordParameters?: Argon2Parameters | undefined;
  breachedPasswords?: Pick<BreachedPasswords, 'has'> | undefined;
  /** Wraps the storage that the accounts use. */
  wrapStorage?: ((storage: Storage) => Storage) | undefined;
}

/** Accounts on SQLite that send their mail to a real SMTP server. */
export interface TestAccounts {
  accounts: Accounts;
  storage: Storage;
  /** Events so far. */
  events: AccountEvent[];
  /** Accounts whose sessions were ended, in order. */
  revoked: string[];
  /** Accounts that were removed from the owners of applications, in order. */
  retiredOwners: string[];
  /** Waits for pending tasks, then returns every mail received since the last call. */
  takeMails(): Promise<ReceivedMail[]>;
  /** Advances the clock. Rate limits have a clock of their own. */
  advance(seconds: number): void;
  /** Adds an account, by default with `password`. */
  add(request?: Partial<NewAccountRequest>): Promise<Account>;
  close(): Promise<void>;
}

const sealer = createSealer(Buffer.alloc(32, 9));

const links: AccountLinks = {
  verifyEmail: (token) => `https://auth.example/verify?token=${token}`,
  createPasskey: (token) => `https://auth.example/passkey?token=${token}`,
  resetPassword: (token) => `https://auth.example/reset?token=${token}`,
  disownSignIn: (token) => `https://auth.example/not-me?token=${token}`,
  changeEmail: (token) => `https://auth.example/change?token=${token}`,
  signIn: () => 'https://auth.example/account',
  requestPasswordReset: () => 'https://auth.example/forgot',
};

async function* none(): AsyncGenerator<never> {
  yield* [];
}

/** Consequences for applications, credentials, providers and receivers, which these accounts do not have. */
const withoutApplications = {
  identityProviders: [],
  sessions: {
    list: async () => [],
    end: async () => false,
    endUpstreamSignIns: async () => undefined,
    findAccountByUpstreamSid: async () => undefined,
  },
  unverifyApplications: async () => false,
  allowApplications: async () => undefined,
  removeLogos: async () => undefined,
  announcePurge: async () => undefined,
  removeCredentials: async () => undefined,
  identities: { find: async () => undefined },
  clients: { list: none, listCoOwned: none },
  connections: { list: async () => [] },
  records: { list: async () => [] },
};

export async function startAccounts(options: TestAccountsOptions = {}): Promise<TestAccounts> {
  const { env = {}, wrapStorage = (storage) => storage, redis, breachedPasswords } = options;
  const { passwordParameters = { memoryKib: 64, passes: 1, parallelism: 1 } } = options;
  const config = loadConfig(accountSettings, { PASSWORD_HASH_QUEUE: '1000', ...env });
  const [post, { storage, drop }] = await Promise.all([startMail(), createStorage()]);
  const events: AccountEvent[] = [];
  const revoked: string[] = [];
  const retiredOwners: string[] = [];
  let time = Date.parse('2026-03-01T12:00:00.000Z');
  const used = wrapStorage(storage);
  const accounts = createAccounts({
    ...createAccountParts({
      config: { ...config, serviceName: 'Acme Help' },
      redis,
      commonPasswords: new Set(['qwertyuiop']),
      deviceCookieKey: Buffer.alloc(32, 7),
      breachedPasswords,
      passwordParameters,
    }),
    mailer: post.mailer,
    background: post.background,
    store: used.accounts,
    tokens: used.accountTokens,
    factors: used.factors,
    relyingParty: undefined,
    challengeKey: Buffer.alloc(32, 8),
    totp: createTotpCodes({ sealer, serviceName: 'Acme Help', now: () => new Date(time) }),
    storage: used,
    links,
    onEvent: async (event) => void events.push(event),
    revokeSessions: async (accountId) => void revoked.push(accountId),
    ...withoutApplications,
    eraseAddresses: storage.audit.deleteEmailAddresses,
    deletionDays: config.accountDeletionDays,
    retireOwner: async (accountId) => void retiredOwners.push(accountId),
    now: () => new Date(time),
    newId,
  });
  return {
    accounts,
    storage,
    events,
    revoked,
    retiredOwners,
    takeMails: post.takeMails,
    advance(seconds) {
      time += seconds * 1_000;
    },
    add: (request = {}) =>
      accounts.add({ email: `${newId()}@example.org`, role: 'customer', password, ...request }, home),
    async close() {
      await post.close();
      await drop();
    },
  };
}

async function createStorage() {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  return {
    storage,
    async drop() {
      await storage.close();
      await database.drop();
    },
  };
}

/** Starts an SMTP server, and creates a mailer and the background tasks that use it. */
async function startMail() {
  const failures: unknown[] = [];
  const background = createBackgroundTasks({ maxPending: 1_000, onError: (err) => failures.push(err) });
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS'] });
  const from = 'Acme Help <no-reply@acme.example>';
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from });
  return {
    background,
    mailer,
    async takeMails() {
      await background.idle();
      if (failures.length > 0) throw new AggregateError(failures.splice(0), 'Background tasks failed.');
      return server.received.splice(0);
    },
    async close() {
      await background.idle();
      mailer.close();
      await server.close();
    },
  };
}

/** Returns the token in the only one of these mails, or in the only one to a recipient. */
export function tokenIn(mails: readonly ReceivedMail[], to?: string): string {
  const [mail, ...others] = to === undefined ? mails : mails.filter((each) => each.to.includes(to));
  if (!mail || others.length > 0) throw new Error(`Expected one mail, got ${mails.length}.`);
  const token = /\?token=([\w-]+)/.exec(mail.body)?.[1];
  if (token === undefined) throw new Error('The mail contains no token.');
  return token;
}

/** Returns a sorted list of `Subject → recipient`. */
export function summaryOf(mails: readonly ReceivedMail[]): string[] {
  return mails.map(({ headers, to }) => `${subjectOf(headers)} → ${to.join()}`).sort();
}

function subjectOf(headers: readonly string[]): string {
  return headers.find((header) => header.startsWith('Subject: '))?.slice('Subject: '.length) ?? '';
}
