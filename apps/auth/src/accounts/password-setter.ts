import type { Account } from './account.ts';
import type { AccountEventType, Origin } from './account-event.ts';
import type { AccountLinks } from './account-links.ts';
import { type AccountSteps, requireFaultless } from './account-steps.ts';
import type { AccountTokenStore } from './account-token-store.ts';
import type { Background } from './background.ts';
import { isSignInStillValid, withPassword } from './credential-epoch.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { PasswordPolicy } from './password-policy.ts';
import { holdersOf } from './sign-in-limits.ts';

export interface PasswordSetterOptions {
  steps: AccountSteps;
  tokens: AccountTokenStore;
  passwords: PasswordHasher;
  policy: PasswordPolicy;
  links: AccountLinks;
  background: Background;
  /** Ends every session, grant and refresh token of an account, of which its applications are told. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
}

/** A new password on its way into an account. */
export interface PasswordChange {
  accountId: string;
  passwordHash: string;
  /** Proof that the account is the caller's; absent for an operator. */
  proof?: PasswordChangeProof | undefined;
  /** What it is in the audit record. */
  type: AccountEventType;
  /** Whether it was chosen by way of a link that was mailed to the account's address. */
  provesEmail?: boolean | undefined;
}

/** Holds while the account has the credential epoch that it was given at. */
export interface PasswordChangeProof {
  credentialEpoch: number;
  /** Rejects a change whose proof does not hold any more. */
  refuse(): never;
}

/** What every way to another password ends with. */
export interface PasswordSetter {
  /**
   * Hashes an acceptable password of whoever has shown that the account is theirs.
   *
   * @throws {AppError} `validation_failed`, `unavailable` when too many wait to be hashed, or `too_many_requests` when
   *   too many of the same account or network do
   */
  prepare(password: string, owner: { email: string; address: string }): Promise<string>;
  /**
   * Writes it, tells the owner, voids every mailed link and ends every session.
   *
   * @throws {AppError} as `proof` refuses
   */
  set(change: PasswordChange, origin: Origin): Promise<Account>;
}

export function createPasswordSetter(options: PasswordSetterOptions): PasswordSetter {
  const { steps, links, background } = options;

  return {
    async prepare(password, owner) {
      requireFaultless(options.policy.faultsOf(password, owner.email));
      return options.passwords.hash(password, holdersOf({ ...owner, device: 'owner' }));
    },
    // Written before the sessions end, so that nobody signs in again with the old one in between.
    async set({ accountId, passwordHash, proof, type, provesEmail = false }, origin) {
      const account = await steps.change(accountId, (stored, now) => {
        if (proof && !isSignInStillValid(stored, proof.credentialEpoch)) proof.refuse();
        const emailVerified = stored.emailVerified || provesEmail;
        return withPassword({ ...stored, emailVerified }, passwordHash, now);
      });
      await steps.record(type, accountId, origin);
      background.run(() => steps.mail('password_changed', account, { link: links.requestPasswordReset() }));
      await options.tokens.discard(accountId);
      await options.revokeSessions(accountId, origin);
      return account;
    },
  };
}
