import { AppError } from '@keydesk/server';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks, AccountOperations } from '../account/account-operations.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import type { CredentialRemoval, Remaining } from '../credentials/credential-removal.ts';

export interface PasswordRemovalOptions {
  operations: AccountOperations;
  credentialRemoval: CredentialRemoval;
  tokens: AccountTokenStore;
  links: Pick<AccountLinks, 'requestPasswordReset'>;
  background: Pick<BackgroundTasks, 'run'>;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  now: () => Date;
}

/** Removal of the password of a user who signs in by a passkey or at a provider. */
export interface PasswordRemoval {
  /** Whether the account has a password and another way to sign in. @throws {AppError} `not_found` */
  canRemovePassword(accountId: string): Promise<boolean>;
  /**
   * Removes the password, ends every session and notifies the owner. The caller has authenticated the owner.
   *
   * @throws {AppError} `conflict` without a password, or if it is the only way to sign in
   */
  removePassword(accountId: string, origin: Origin): Promise<Account>;
}

export function createPasswordRemoval(options: PasswordRemovalOptions): PasswordRemoval {
  const { operations, credentialRemoval, now } = options;

  const withoutPassword: Remaining = ({ account, ...others }) =>
    account.passwordHash === null
      ? undefined
      : {
          ...others,
          account: endSignIns(account, { passwordHash: null, passwordChangedAt: null }, now()),
        };

  return {
    async canRemovePassword(accountId) {
      if ((await operations.get(accountId)).passwordHash === null) return false;
      return !(await credentialRemoval.isLastWay(accountId, withoutPassword));
    },
    async removePassword(accountId, origin) {
      const outcome = await credentialRemoval.remove(accountId, withoutPassword);
      if (outcome === 'last')
        throw new AppError(
          'conflict',
          'The password is the only way to sign in; add a passkey or link an identity first.',
        );
      if (outcome === 'unchanged') throw new AppError('conflict', 'The account has no password.');
      const account = await operations.get(accountId);
      await operations.recordEvent('account.password_removed', accountId, origin);
      const link = options.links.requestPasswordReset();
      options.background.run(() => operations.sendMail('password_removed', account, { link }));
      // A link that sets a password was requested by a person who may have read the mailbox.
      await options.tokens.discard(accountId, { except: 'disown_sign_in' });
      await options.revokeSessions(accountId, origin);
      return account;
    },
  };
}
