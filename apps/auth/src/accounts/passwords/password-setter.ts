import type { Account } from '../account/account.ts';
import type { AccountEventType, Origin } from '../account/account-event.ts';
import type { AccountLinks } from '../account/account-operations.ts';
import { type AccountOperations, rejectInvalid } from '../account/account-operations.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { isCurrentSignIn, withPassword } from '../account/credential-epoch.ts';
import {
  type CredentialChangeOptions,
  changeCredentials,
  withProvenEmail,
} from '../credentials/change-credentials.ts';
import { toQueueKeys } from '../limits/sign-in-limits.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { PasswordPolicy } from './password-policy.ts';

export interface PasswordSetterOptions extends CredentialChangeOptions {
  operations: AccountOperations;
  tokens: AccountTokenStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  links: AccountLinks;
  background: BackgroundTasks;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  now: () => Date;
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
  const { operations, links, background, now } = options;

  return {
    async prepare(password, owner) {
      rejectInvalid(options.policy.validate(password, owner.email));
      return options.passwords.hashNew(password, toQueueKeys({ ...owner, device: 'owner' }));
    },
    // Written before the sessions end, because a sign-in with the old password could otherwise happen in between.
    async set({ accountId, passwordHash, proof, type, provesEmail = false }, origin) {
      const changed = await changeCredentials(options, accountId, (stored) => {
        if (proof && !isCurrentSignIn(stored.account, proof.credentialEpoch)) proof.reject();
        const { account, ...others } = provesEmail ? withProvenEmail(stored) : stored;
        return { ...others, account: withPassword(account, passwordHash, now()) };
      });
      const { account } = changed.after;
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
