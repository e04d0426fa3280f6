import type { Role } from '../clients/client.ts';
import { parseEmail } from '../mail/email-address.ts';
import { type Account, createAccount, revise } from './account.ts';
import type { Origin } from './account-event.ts';
import { type AccountSteps, addressTaken } from './account-steps.ts';
import type { AccountPage, AccountStore } from './account-store.ts';
import type { AccountTokenStore } from './account-token-store.ts';
import { type Application, readApplication, readProfile } from './application.ts';
import { endSignIns } from './credential-epoch.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { PasswordPolicy } from './password-policy.ts';

export interface AdministrationOptions {
  steps: AccountSteps;
  store: AccountStore;
  tokens: AccountTokenStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  /** Ends every session, grant and refresh token of an account, of which its applications are told. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  /**
   * Takes an account out of the owners of every application, and lets it own no more. One that is left without an active
   * owner is disabled.
   */
  retireOwner(accountId: string, origin: Origin): Promise<void>;
  /** Lets an account register applications again. */
  allowApplications(accountId: string): Promise<void>;
  /** Removes the logos of the applications that an account owned alone. */
  removeLogos(accountId: string, origin: Origin): Promise<void>;
  /** Takes every address out of what is on record of an account. */
  forgetAddresses(accountId: string): Promise<void>;
  clock: () => Date;
  newId: () => string;
}

export type NewAccountRequest = Application & { role: Role };

/** What operators and administrators do with accounts. */
export interface Administration {
  /**
   * Adds an account whose address the operator vouches for.
   *
   * @throws {AppError} `validation_failed` naming every fault, or `conflict` when the address is in use
   */
  add(request: NewAccountRequest, origin: Origin): Promise<Account>;
  /** @throws {AppError} `not_found` */
  get(id: string): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
  /** By an address as it was typed. */
  findByEmail(email: string): Promise<Account | undefined>;
  list(page: AccountPage): Promise<readonly Account[]>;
  /** Replaces what the owner tells about themselves. @throws {AppError} `validation_failed` naming every fault */
  setProfile(id: string, profile: unknown, origin: Origin): Promise<Account>;
  /** Takes effect with the next token. @throws {AppError} `not_found` */
  setRole(id: string, role: Role, origin: Origin): Promise<Account>;
  /**
   * Signs the account out everywhere and lets nobody in. Its applications pass to a co-owner or are disabled, which
   * `enable` leaves to be looked at one by one.
   *
   * @throws {AppError} `not_found`
   */
  disable(id: string, origin: Origin): Promise<Account>;
  /** @throws {AppError} `not_found` */
  enable(id: string, origin: Origin): Promise<Account>;
  /**
   * Disables it first, with everything that follows from that. The record of what it did stays, without its addresses.
   *
   * @throws {AppError} `not_found`
   */
  remove(id: string, origin: Origin): Promise<void>;
}

export function createAdministration(options: AdministrationOptions): Administration {
  const { steps, store, tokens, clock } = options;

  function setDisabled(id: string): Promise<Account> {
    return steps.change(id, (account, now) => endSignIns(account, { status: 'disabled' }, now));
  }

  async function shutOut(id: string, origin: Origin): Promise<void> {
    await tokens.discard(id);
    await options.revokeSessions(id, origin);
    await options.retireOwner(id, origin);
  }

  return {
    get: steps.get,
    find: (id) => store.find(id),
    list: (page) => store.list(page),
    async findByEmail(typed) {
      const email = parseEmail(typed);
      return email === undefined ? undefined : store.findByEmail(email);
    },
    async add(request, origin) {
      const { password, role } = request;
      const { email, profile } = readApplication(request, options.policy);
      const passwordHash = password === undefined ? null : await options.passwords.hash(password);
      const id = options.newId();
      const account = createAccount({ id, email, emailVerified: true, profile, passwordHash, role }, clock());
      if (!(await store.insert(account))) throw addressTaken();
      await steps.record('account.added', id, origin, { role });
      return account;
    },
    async setProfile(id, input, origin) {
      const profile = readProfile(input);
      const account = await steps.change(id, (stored, now) => revise(stored, { profile }, now));
      await steps.record('account.profile_changed', id, origin);
      return account;
    },
    async setRole(id, role, origin) {
      const { role: from } = await steps.get(id);
      const account = await steps.change(id, (stored, now) => revise(stored, { role }, now));
      await steps.record('account.role_changed', id, origin, { from, to: role });
      return account;
    },
    async disable(id, origin) {
      const account = await setDisabled(id);
      await steps.record('account.disabled', id, origin);
      await shutOut(id, origin);
      return account;
    },
    async enable(id, origin) {
      const account = await steps.change(id, (stored, now) => revise(stored, { status: 'active' }, now));
      await options.allowApplications(id);
      await steps.record('account.enabled', id, origin);
      return account;
    },
    async remove(id, origin) {
      // It is there to be removed once more, should this be cut short.
      await setDisabled(id);
      await shutOut(id, origin);
      await options.removeLogos(id, origin);
      await options.forgetAddresses(id);
      await store.remove(id);
      await steps.record('account.removed', id, origin);
    },
  };
}
