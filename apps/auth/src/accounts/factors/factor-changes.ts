import { AppError } from '@keydesk/server';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks, AccountOperations } from '../account/account-operations.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import { type CredentialChangeOptions, changeCredentials } from '../credentials/change-credentials.ts';
import { changeFactors, changeOwnFactors } from './change-factors.ts';
import type { FactorStore } from './factor-store.ts';
import { createFactors, type Factors } from './factors.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import type { FactorOwner, SecondFactorPolicy } from './second-factor-need.ts';
import type { TotpCodes } from './totp.ts';

export interface FactorChangesOptions extends CredentialChangeOptions {
  operations: AccountOperations;
  factors: FactorStore;
  totp: TotpCodes;
  factorPolicy: SecondFactorPolicy;
  links: Pick<AccountLinks, 'signIn' | 'requestPasswordReset'>;
  background: Pick<BackgroundTasks, 'run'>;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  now: () => Date;
}

/** Secret that an authenticator app gets before the account does. */
export interface TotpOffer {
  /** In base32. */
  secret: string;
  /** URI for a QR code. */
  uri: string;
  /** The secret for the page's form, sealed for the account. */
  sealed: string;
}

/** Set-up of an authenticator app. */
export interface TotpSetUp {
  /** `sealed` of the offer. */
  sealed: string;
  /** Code that the app shows, as typed by the user. */
  code: string;
  /** Whether another app is replaced; otherwise the account must have none. */
  replaces?: boolean | undefined;
}

/**
 * Changes of second factors. The caller has authenticated the owner, whose `account` has the credential epoch of the
 * sign-in. What adds a factor rejects with `forbidden` and the code `sign_in_ended` once the sign-in has ended.
 */
export interface FactorChangeCases {
  /** Finds the factors of an account; empty ones if nothing is stored. */
  find(accountId: string): Promise<Factors>;
  /** Whether the role of the account requires a second factor. */
  isRequiredFor(owner: Pick<FactorOwner, 'role'>): boolean;
  /** Offers a new secret, or the one of an earlier offer. */
  offerTotp(account: Account, sealed?: string): TotpOffer;
  /**
   * Sets the app up if the code is right, and replaces all recovery codes.
   *
   * @returns the recovery codes; `repeated` if this very app is set up already, because browsers post a form again when
   *   its response is reloaded; `undefined` if the code is wrong, the offer is not valid or another app is set up
   */
  setUpTotp(
    account: Account,
    setUp: TotpSetUp,
    origin: Origin,
  ): Promise<readonly string[] | 'repeated' | undefined>;
  /**
   * Replaces the recovery codes and ends the trust in devices.
   *
   * @throws {AppError} `conflict` if no authenticator app is set up
   */
  replaceRecoveryCodes(account: Account, origin: Origin): Promise<readonly string[]>;
  /** Removes the app, the recovery codes and the trusted devices. @throws {AppError} `forbidden` if it is required */
  removeTotp(account: Account, origin: Origin): Promise<void>;
  /** Ends the trust in a device. Resolves with `false` if it is unknown. */
  distrustDevice(accountId: string, deviceId: string, origin: Origin): Promise<boolean>;
  /** Removes all factors on behalf of an operator, and ends all sessions. @throws {AppError} `not_found` */
  resetFactors(accountId: string, origin: Origin): Promise<Account>;
}

export function createFactorChanges(options: FactorChangesOptions): FactorChangeCases {
  const { operations, factors, factorPolicy, links, background, now } = options;
  const isRequiredFor = ({ role }: Pick<FactorOwner, 'role'>) => factorPolicy.requiredFor.includes(role);

  return {
    ...createTotpSetUp(options),
    isRequiredFor,
    find: async (accountId) => (await factors.find(accountId)) ?? createFactors(accountId),
    async replaceRecoveryCodes(account, origin) {
      const { codes, stored: recoveryCodes } = createRecoveryCodes(now());
      const changed = await changeOwnFactors(
        options,
        account,
        ({ totp }) => totp && { recoveryCodes, trustedDevices: [] },
      );
      if (!changed) throw new AppError('conflict', 'No authenticator app is set up.');
      await operations.recordEvent('account.recovery_codes_replaced', account.id, origin);
      background.run(() => operations.sendMail('recovery_codes_replaced', account, { link: links.signIn() }));
      return codes;
    },
    async removeTotp(account, origin) {
      if (isRequiredFor(account))
        throw new AppError(
          'forbidden',
          'A second factor is required; replace the authenticator app instead.',
        );
      const removed = { totp: null, recoveryCodes: [], trustedDevices: [] };
      const changed = await changeFactors(factors, account.id, ({ totp }) => totp && removed);
      if (!changed) return;
      await operations.recordEvent('account.totp_removed', account.id, origin);
      const link = links.requestPasswordReset();
      background.run(() => operations.sendMail('second_factor_removed', account, { link }));
    },
    async distrustDevice(accountId, deviceId, origin) {
      const changed = await changeFactors(factors, accountId, ({ trustedDevices }) => {
        const others = trustedDevices.filter(({ id }) => id !== deviceId);
        return others.length < trustedDevices.length ? { trustedDevices: others } : undefined;
      });
      if (changed) await operations.recordEvent('account.device_distrusted', accountId, origin);
      return changed !== undefined;
    },
    async resetFactors(accountId, origin) {
      const changed = await changeCredentials(
        options,
        accountId,
        ({ account, factors: stored, ...others }) => ({
          ...others,
          account: endSignIns(account, {}, now()),
          // The grace period stays, so that a reset does not start another one.
          factors: { ...createFactors(accountId), graceStartedAt: stored.graceStartedAt },
        }),
      );
      const { account } = changed.after;
      await operations.recordEvent('account.factors_reset', accountId, origin);
      await options.revokeSessions(accountId, origin);
      background.run(() => operations.sendMail('second_factor_reset', account, { link: links.signIn() }));
      return account;
    },
  };
}

function createTotpSetUp(options: FactorChangesOptions): Pick<FactorChangeCases, 'offerTotp' | 'setUpTotp'> {
  const { operations, totp, links, background, now } = options;

  return {
    offerTotp({ id, email }, earlier) {
      const secret = (earlier && totp.openOffer(earlier, id)) || totp.createSecret();
      return { secret, uri: totp.uriOf(secret, email), sealed: totp.sealOffer(secret, id) };
    },
    async setUpTotp(account, { sealed, code, replaces = false }, origin) {
      const secret = totp.openOffer(sealed, account.id);
      const lastStep = secret && totp.findStep(code, secret);
      if (!lastStep) return undefined;
      const { codes, stored: recoveryCodes } = createRecoveryCodes(now());
      const added = { sealedSecret: totp.seal(secret, account.id), lastStep, createdAt: now() };
      const changes = { totp: added, recoveryCodes, trustedDevices: [] };
      let isRepeated = false;
      const changed = await changeOwnFactors(options, account, ({ totp: stored }) => {
        isRepeated = stored !== null && totp.isSealed(secret, stored.sealedSecret, account.id);
        return stored === null || (replaces && !isRepeated) ? changes : undefined;
      });
      if (!changed) return isRepeated ? 'repeated' : undefined;
      await operations.recordEvent('account.totp_added', account.id, origin);
      const link = links.requestPasswordReset();
      background.run(() => operations.sendMail('second_factor_added', account, { link }));
      return codes;
    },
  };
}
