import type { Role } from '../../values/scopes.ts';
import type { Account } from '../account/account.ts';
import { acrValues, satisfiesAcr, toAcr } from '../account/authentication.ts';
import type { Factors } from './factors.ts';
import { hasTrustedDevice, listTrustedDevices } from './trusted-devices.ts';

/** Members of an account that determine its second factor. */
export type FactorOwner = Pick<Account, 'id' | 'role' | 'credentialEpoch'>;

/**
 * Missing part of a sign-in: nothing; nothing because the device is trusted; a code of the authenticator app; a
 * passkey, because the account has one but no app; an app that must be set up now (`enrolment`), or that can be set up
 * later (`offer`).
 */
export type SecondFactorNeed = 'nothing' | 'trusted' | 'code' | 'passkey' | 'enrolment' | 'offer';

export interface SecondFactorPolicy {
  /** Roles whose users must have a second factor. */
  requiredFor: readonly Role[];
  graceDays: number;
}

/** Sign-in or session, with what its browser and its request add. */
export interface SignInToAssess {
  owner: FactorOwner;
  factors: Factors;
  methods: readonly string[];
  /** Secrets of trusted devices in the browser. */
  deviceSecrets: readonly string[];
  /** Class that the request requires. */
  requiredAcr?: string | undefined;
}

const ONE_DAY_MS = 86_400_000;
const [, multiFactorClass] = acrValues;

/**
 * Assesses a sign-in. An account that has a factor never gets another one by a password alone, which may be stolen: its
 * user signs in with that factor.
 */
export function assessSignIn(
  signIn: SignInToAssess,
  policy: SecondFactorPolicy,
  now: Date,
): SecondFactorNeed {
  const { owner, factors, methods, deviceSecrets, requiredAcr } = signIn;
  const hasPasskeys = factors.passkeys.length > 0;
  const needsPasskey = requiredAcr !== undefined && !satisfiesAcr(multiFactorClass, requiredAcr);
  if (needsPasskey && hasPasskeys && !satisfiesAcr(toAcr(methods), requiredAcr)) return 'passkey';
  // Without a passkey the request decides whether the sign-in suffices.
  const isClassMet = requiredAcr === undefined || needsPasskey || satisfiesAcr(toAcr(methods), requiredAcr);
  if (methods.includes('mfa') && isClassMet) return 'nothing';
  if (factors.totp !== null) {
    const trusted = listTrustedDevices(factors, owner, now);
    return isClassMet && hasTrustedDevice(trusted, deviceSecrets) ? 'trusted' : 'code';
  }
  const isRequired = policy.requiredFor.includes(owner.role);
  if (!isRequired && isClassMet) return 'nothing';
  if (hasPasskeys) return 'passkey';
  return isClassMet && isInGrace(factors, policy, now) ? 'offer' : 'enrolment';
}

/** Whether the set-up can be postponed; the period begins with the first sign-in that is asked for it. */
function isInGrace({ graceStartedAt }: Factors, { graceDays }: SecondFactorPolicy, now: Date): boolean {
  const startedAt = graceStartedAt ?? now;
  return now.getTime() < toGraceEnd(startedAt, graceDays).getTime();
}

export function toGraceEnd(startedAt: Date, graceDays: number): Date {
  return new Date(startedAt.getTime() + graceDays * ONE_DAY_MS);
}
