import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks, AccountOperations } from '../account/account-operations.ts';
import type { Authentication, AuthenticationMethod } from '../account/authentication.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import type { DeviceCookies } from '../limits/device-cookie.ts';
import type { Admission, SignInLimits } from '../limits/sign-in-limits.ts';
import { changeFactors } from './change-factors.ts';
import type { FactorStore } from './factor-store.ts';
import { createFactors, type FactorChanges, type Factors } from './factors.ts';
import { countUnused, redeemRecoveryCode } from './recovery-codes.ts';
import {
  assessSignIn,
  type FactorOwner,
  type SecondFactorNeed,
  type SecondFactorPolicy,
  toGraceEnd,
} from './second-factor-need.ts';
import type { TotpCodes } from './totp.ts';
import { addTrustedDevice, createTrustedDevice, listTrustedDevices } from './trusted-devices.ts';

export interface SecondFactorsOptions {
  operations: AccountOperations;
  factors: FactorStore;
  totp: TotpCodes;
  factorPolicy: SecondFactorPolicy;
  codeLimits: SignInLimits;
  deviceCookies: DeviceCookies;
  links: Pick<AccountLinks, 'signIn'>;
  background: Pick<BackgroundTasks, 'run'>;
  now: () => Date;
  newId: () => string;
}

/** Traces of earlier sign-ins in a browser. */
export interface FactorBrowser {
  /** Cookie of a browser that has passed the second factor before. */
  deviceCookie?: string | undefined;
  /** Secrets of trusted devices. */
  trustedSecrets: readonly string[];
}

/** Code as typed by the user: of the authenticator app, or a recovery code. */
export interface TypedCode {
  code?: string | undefined;
  recoveryCode?: string | undefined;
  /** Browser and operating system, if the user trusts this device. */
  trustAs?: string | undefined;
}

export interface PassedFactor {
  /** Methods that the factor adds to those of the sign-in. */
  methods: readonly AuthenticationMethod[];
  /** Cookie to set for a year. */
  deviceCookie: string;
  /** Secret of the device, if it is trusted now. */
  trustedSecret?: string | undefined;
}

/** The second factor of sign-ins. */
export interface SecondFactors {
  /** Assesses a sign-in whose first factor was right. */
  findNeed(
    authentication: Pick<Authentication, 'account' | 'methods'>,
    browser: FactorBrowser,
    requiredAcr?: string,
  ): Promise<SecondFactorNeed>;
  /**
   * Assesses a session: `missing` if the user must sign in with the second factor, and `skipped` if only a trusted
   * device replaces it.
   */
  assessSession(
    owner: FactorOwner,
    methods: readonly string[],
    browser: FactorBrowser,
  ): Promise<'satisfied' | 'skipped' | 'missing'>;
  /**
   * Checks a code of an account. Each code works once, even across processes (RFC 6238 §5.2).
   *
   * @returns `undefined` if the code is wrong or was used
   * @throws {AppError} `too_many_requests`, with `Retry-After`
   */
  check(
    account: Account,
    typed: TypedCode,
    browser: FactorBrowser,
    origin: Origin,
  ): Promise<PassedFactor | undefined>;
  /** Starts the grace period, if it has not started; resolves with its end. */
  startGrace(accountId: string): Promise<Date>;
}

export function createSecondFactors(options: SecondFactorsOptions): SecondFactors {
  const { operations, factors, codeLimits, deviceCookies, background } = options;

  async function admit(account: Account, browser: FactorBrowser, origin: Origin): Promise<Admission> {
    const device = deviceCookies.findDevice(browser.deviceCookie, toDeviceKey(account));
    const attempt = { email: account.id, address: origin.address, device };
    try {
      return await codeLimits.admit(attempt);
    } catch (rejection) {
      if (await codeLimits.isFirstRejection(attempt))
        await operations.recordEvent('account.second_factor_limited', account.id, origin);
      throw rejection;
    }
  }

  const decide = createDecision(options);

  async function recordRecovery(account: Account, { recoveryCodes }: Factors, origin: Origin): Promise<void> {
    const left = String(countUnused(recoveryCodes));
    await operations.recordEvent('account.recovery_code_used', account.id, origin, { left });
    const link = options.links.signIn();
    background.run(() => operations.sendMail('recovery_code_used', account, { link, count: left }));
  }

  return {
    ...createAssessment(options),
    async check(account, typed, browser, origin) {
      const admission = await admit(account, browser, origin);
      let trustedSecret: string | undefined;
      const changed = await changeFactors(factors, account.id, (stored) => {
        const decision = decide(account, stored, typed);
        trustedSecret = decision?.trustedSecret;
        return decision?.changes;
      });
      const isRecovery = typed.recoveryCode !== undefined;
      if (!changed) {
        const details = { method: isRecovery ? 'recovery_code' : 'totp' };
        await operations.recordEvent('account.second_factor_failed', account.id, origin, details);
        return undefined;
      }
      await admission.refund();
      if (isRecovery) await recordRecovery(account, changed.after, origin);
      if (trustedSecret) await operations.recordEvent('account.device_trusted', account.id, origin);
      const deviceOwner = { ...account, email: toDeviceKey(account) };
      const deviceCookie = deviceCookies.remember(browser.deviceCookie, deviceOwner);
      // A recovery code is a look-up secret. RFC 8176 §2 has no value of its own for it.
      return { methods: isRecovery ? ['mfa'] : ['otp', 'mfa'], deviceCookie, trustedSecret };
    },
  };
}

function createAssessment({
  factors,
  factorPolicy,
  now,
}: SecondFactorsOptions): Pick<SecondFactors, 'findNeed' | 'assessSession' | 'startGrace'> {
  const find = async (accountId: string) => (await factors.find(accountId)) ?? createFactors(accountId);

  return {
    async findNeed({ account, methods }, { trustedSecrets }, requiredAcr) {
      const signIn = { owner: account, methods, deviceSecrets: trustedSecrets, requiredAcr };
      return assessSignIn({ ...signIn, factors: await find(account.id) }, factorPolicy, now());
    },
    async assessSession(owner, methods, { trustedSecrets }) {
      if (methods.includes('mfa')) return 'satisfied';
      const stored = await find(owner.id);
      const session = { owner, methods, deviceSecrets: trustedSecrets, factors: stored };
      const need = assessSignIn(session, factorPolicy, now());
      if (need === 'trusted') return 'skipped';
      const isPostponed = need === 'offer' && stored.graceStartedAt !== null;
      return need === 'nothing' || isPostponed ? 'satisfied' : 'missing';
    },
    async startGrace(accountId) {
      const startedAt = now();
      await changeFactors(factors, accountId, ({ graceStartedAt }) =>
        graceStartedAt === null ? { graceStartedAt: startedAt } : undefined,
      );
      const { graceStartedAt } = await find(accountId);
      return toGraceEnd(graceStartedAt ?? startedAt, factorPolicy.graceDays);
    },
  };
}

interface Decision {
  changes: FactorChanges;
  trustedSecret: string | undefined;
}

/** Decides what a code changes in the stored factors; `undefined` if it is wrong. */
function createDecision({ totp, now, newId }: Pick<SecondFactorsOptions, 'totp' | 'now' | 'newId'>) {
  function redeem(account: Account, stored: Factors, typed: TypedCode): FactorChanges | undefined {
    if (stored.totp === null) return undefined;
    if (typed.recoveryCode !== undefined) {
      const recoveryCodes = redeemRecoveryCode(stored.recoveryCodes, typed.recoveryCode, now());
      return recoveryCodes && { recoveryCodes };
    }
    const secret = totp.open(stored.totp.sealedSecret, account.id);
    const lastStep = totp.findStep(typed.code ?? '', secret, stored.totp.lastStep);
    return lastStep === undefined ? undefined : { totp: { ...stored.totp, lastStep } };
  }

  return (account: Account, stored: Factors, typed: TypedCode): Decision | undefined => {
    const redeemed = redeem(account, stored, typed);
    if (!redeemed) return undefined;
    const trusted = listTrustedDevices(stored, account, now());
    if (typed.trustAs === undefined)
      return { changes: { ...redeemed, trustedDevices: trusted }, trustedSecret: undefined };
    const made = createTrustedDevice({ id: newId(), description: typed.trustAs }, account, now());
    const trustedDevices = addTrustedDevice(trusted, made.device);
    return { changes: { ...redeemed, trustedDevices }, trustedSecret: made.secret };
  };
}

/** Separate from passwords: a browser that has sent only the password is not a device of the owner. */
function toDeviceKey({ id }: Account): string {
  return `second factor of ${id}`;
}
