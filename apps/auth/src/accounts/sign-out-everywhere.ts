import type { Account } from './account.ts';
import type { Origin } from './account-event.ts';
import type { AccountSteps } from './account-steps.ts';
import { endSignIns } from './credential-epoch.ts';

export interface SignOutEverywhereOptions {
  steps: AccountSteps;
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
  steps,
  revokeSessions,
}: SignOutEverywhereOptions): SignOutEverywhere {
  return {
    async signOutEverywhere(accountId, origin) {
      const account = await steps.change(accountId, (stored, now) => endSignIns(stored, {}, now));
      await steps.record('account.signed_out_everywhere', accountId, origin);
      await revokeSessions(accountId, origin);
      return account;
    },
  };
}
