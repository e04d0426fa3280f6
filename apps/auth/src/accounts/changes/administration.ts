import { parseEmail } from '../../mail/email-address.ts';
import type { Role } from '../../values/scopes.ts';
import { type Account, createAccount, updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountOperations, toEmailTakenError } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import { endSignIns, withRole } from '../account/credential-epoch.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import type { PasswordPolicy } from '../passwords/password-policy.ts';
import { type AccountInput, parseAccountInput, requireProfile } from '../sign-in/account-input.ts';

export interface AdministrationOptions {
  operations: AccountOperations;
  store: AccountStore;
  tokens: AccountTokenStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  /**
   * Removes an account from the owners of every application and bars it from owning others. Disables applications
   * without another active owner.
   */
  retireOwner(accountId: string, origin: Origin): Promise<void>;
  /** Lets an account register applications again. */
  allowApplications(accountId: string): Promise<void>;
  /** Removes the logos of the applications that an account owned alone. */
  removeLogos(accountId: string, origin: Origin): Promise<void>;
  /** Sends resource servers the event that an account is deleted, which they get once no access token of it is valid. */
  announcePurge(accountId: string): Promise<void>;
  /** Removes passkeys, second factors and identities at other providers. */
  removeCredentials(accountId: string): Promise<void>;
  /** Erases every e-mail address from the audit records of an account. */
  eraseAddresses(accountId: string): Promise<void>;
  now: () => Date;
  newId: () => string;
}

export type NewAccountRequest = AccountInput & { role: Role };

/** Use cases of operators and administrators. */
export interface Administration {
  /**
   * Adds an account whose address counts as verified, because the operator vouches for it.
   *
   * @throws {AppError} `validation_failed` with every error, or `conflict` if the address is in use
   */
  add(request: NewAccountRequest, origin: Origin): Promise<Account>;
  /** @throws {AppError} `not_found` */
  get(id: string): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
  /** Finds the account of an address as typed by a user. */
  findByEmail(email: string): Promise<Account | undefined>;
  /** Replaces the profile. @throws {AppError} `validation_failed` with every error */
  setProfile(id: string, profile: unknown, origin: Origin): Promise<Account>;
  /** A lower role takes effect with the next token; a higher one ends all sign-ins. @throws {AppError} `not_found` */
  setRole(id: string, role: Role, origin: Origin): Promise<Account>;
  /**
   * Signs the account out everywhere and rejects further sign-ins. Its applications pass to a co-owner or are disabled;
   * `enable` does not enable them again, so that they are reviewed individually.
   *
   * @throws {AppError} `not_found`
   */
  disable(id: string, origin: Origin): Promise<Account>;
  /** @throws {AppError} `not_found` */
  enable(id: string, origin: Origin): Promise<Account>;
  /**
   * Disables the account, with all consequences of that, then deletes it. Its audit records stay, without its
   * addresses.
   *
   * @throws {AppError} `not_found`
   */
  remove(id: string, origin: Origin): Promise<void>;
}

export interface Purge {
  /** Ends all access of an account and deletes it with all that belongs to it. It can be repeated. */
  purge(id: string, origin: Origin): Promise<void>;
}

async function revokeAccess(options: AdministrationOptions, id: string, origin: Origin): Promise<void> {
  await options.tokens.discard(id);
  await options.revokeSessions(id, origin);
  await options.retireOwner(id, origin);
}

export function createPurge(options: AdministrationOptions): Purge {
  const { operations, store } = options;
  return {
    async purge(id, origin) {
      await revokeAccess(options, id, origin);
      await options.removeLogos(id, origin);
      await options.removeCredentials(id);
      await options.eraseAddresses(id);
      await options.announcePurge(id);
      // The account is deleted last, so that an interrupted removal can be repeated.
      if (await store.remove(id)) await operations.recordEvent('account.removed', id, origin);
    },
  };
}

export function createAdministration(options: AdministrationOptions & Purge): Administration {
  const { operations, store, now } = options;

  return {
    get: operations.get,
    find: (id) => store.find(id),
    async findByEmail(typed) {
      const email = parseEmail(typed);
      return email === undefined ? undefined : store.findByEmail(email);
    },
    async add(request, origin) {
      const { password, role } = request;
      const { email, profile } = parseAccountInput(request, options.policy);
      const passwordHash = password === undefined ? null : await options.passwords.hashNew(password);
      const id = options.newId();
      const account = createAccount({ id, email, emailVerified: true, profile, passwordHash, role }, now());
      if (!(await store.insert(account))) throw toEmailTakenError();
      await operations.recordEvent('account.added', id, origin, { role });
      return account;
    },
    async setProfile(id, input, origin) {
      const profile = requireProfile(input);
      const account = await operations.change(id, (stored, now) => updateAccount(stored, { profile }, now));
      await operations.recordEvent('account.profile_changed', id, origin);
      return account;
    },
    async setRole(id, role, origin) {
      const before = await operations.get(id);
      const account = await operations.change(id, (stored, now) => withRole(stored, role, now));
      await operations.recordEvent('account.role_changed', id, origin, { from: before.role, to: role });
      if (account.credentialEpoch > before.credentialEpoch) await options.revokeSessions(id, origin);
      return account;
    },
    async disable(id, origin) {
      const account = await operations.change(id, toDisabled);
      await operations.recordEvent('account.disabled', id, origin);
      await revokeAccess(options, id, origin);
      return account;
    },
    async enable(id, origin) {
      const account = await operations.change(id, toActive);
      await options.allowApplications(id);
      await operations.recordEvent('account.enabled', id, origin);
      return account;
    },
    async remove(id, origin) {
      await operations.change(id, toDisabled);
      await options.purge(id, origin);
    },
  };
}

function toDisabled(account: Account, now: Date): Account {
  return endSignIns(account, { status: 'disabled', deletionDueAt: null }, now);
}

function toActive(account: Account, now: Date): Account {
  return updateAccount(account, { status: 'active', deletionDueAt: null }, now);
}

export interface SignOutEverywhereOptions {
  operations: AccountOperations;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
}

export interface SignOutEverywhere {
  /**
   * Ends every session, grant and refresh token of an account, including the caller's.
   *
   * @throws {AppError} `not_found`
   */
  signOutEverywhere(accountId: string, origin: Origin): Promise<Account>;
}

export function createSignOutEverywhere({
  operations,
  revokeSessions,
}: SignOutEverywhereOptions): SignOutEverywhere {
  return {
    async signOutEverywhere(accountId, origin) {
      const account = await operations.change(accountId, (stored, now) => endSignIns(stored, {}, now));
      await operations.recordEvent('account.signed_out_everywhere', accountId, origin);
      await revokeSessions(accountId, origin);
      return account;
    },
  };
}
