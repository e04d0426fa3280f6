import type { Account } from '../account/account.ts';
import type { AccountEventType, Origin } from '../account/account-event.ts';
import type { AccountLinks } from '../account/account-operations.ts';
import { type AccountOperations, rejectInvalid } from '../account/account-operations.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { isCurrentSignIn, withPassword } from '../account/credential-epoch.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { toQueueKeys } from '../limits/sign-in-limits.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { PasswordPolicy } from './password-policy.ts';

export interface PasswordSetterOptions {
  operations: AccountOperations;
  tokens: AccountTokenStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  links: AccountLinks;
  background: BackgroundTasks;
  storage: { identities: Pick<IdentityStore, 'remove'>; factors: Pick<FactorStore, 'remove'> };
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
}

/** New password of an account. */
export interface PasswordChange {
  accountId: string;
  passwordHash: string;
  /** Proof that the account belongs to the caller; absent for an operator. */
  proof?: PasswordChangeProof | undefined;
  /** Type of the event in the audit log. */
  type: AccountEventType;
  /** Whether the change was made through a link mailed to the account's address. */
  provesEmail?: boolean | undefined;
}

/** Proof that is valid while the account has this credential epoch. */
export interface PasswordChangeProof {
  credentialEpoch: number;
  /** Rejects a change whose proof is no longer valid. */
  reject(): never;
}

/** Final steps of every password change and reset. */
export interface PasswordSetter {
  /**
   * Validates and hashes the new password of an authenticated owner.
   *
   * @throws {AppError} `validation_failed`, `unavailable` if the queue is full, or `too_many_requests` if the account
   *   or network has its share of it
   */
  prepare(password: string, owner: { email: string; address: string }): Promise<string>;
  /**
   * Writes the hash, notifies the owner, invalidates the mailed links and ends every session. The link "This was not me"
   * stays valid, because the other person may be the one who changes the password.
   *
   * @throws {AppError} the error of `proof`
   */
  set(change: PasswordChange, origin: Origin): Promise<Account>;
}

export function createPasswordSetter(options: PasswordSetterOptions): PasswordSetter {
  const { operations, links, background, storage } = options;

  /**
   * Removes the other credentials of an account whose address is verified only by this change. A stranger may have
   * opened it with the address (account pre-hijacking).
   */
  async function removeStrangersCredentials(accountId: string): Promise<void> {
    if ((await operations.get(accountId)).emailVerified) return;
    await storage.identities.remove(accountId);
    await storage.factors.remove(accountId);
  }

  return {
    async prepare(password, owner) {
      rejectInvalid(options.policy.validate(password, owner.email));
      return options.passwords.hashNew(password, toQueueKeys({ ...owner, device: 'owner' }));
    },
    // Written before the sessions end, because a sign-in with the old password could otherwise happen in between.
    async set({ accountId, passwordHash, proof, type, provesEmail = false }, origin) {
      if (provesEmail) await removeStrangersCredentials(accountId);
      const account = await operations.change(accountId, (stored, now) => {
        if (proof && !isCurrentSignIn(stored, proof.credentialEpoch)) proof.reject();
        const emailVerified = stored.emailVerified || provesEmail;
        return withPassword({ ...stored, emailVerified }, passwordHash, now);
      });
      await operations.recordEvent(type, accountId, origin);
      background.run(() =>
        operations.sendMail('password_changed', account, { link: links.requestPasswordReset() }),
      );
      await options.tokens.discard(accountId, { except: 'disown_sign_in' });
      await options.revokeSessions(accountId, origin);
      return account;
    },
  };
}
