import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountOperations } from './account-operations.ts';
import { endSignIns } from './credential-epoch.ts';

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
