import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AuthenticationMethod } from '../account/authentication.ts';
import { maySignIn } from '../account/credential-epoch.ts';
import { updateDocument } from '../credentials/change-document.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { Passkey } from '../factors/factors.ts';
import type { DeviceCookies } from '../limits/device-cookie.ts';
import type { SignInLimits } from '../limits/sign-in-limits.ts';
import type { SignInResult } from '../sign-in/sign-in.ts';
import { toRequestOptions, toUserHandle } from './ceremony-options.ts';
import type { PasskeyChallenges } from './challenges.ts';
import type { RelyingParty } from './relying-party.ts';
import { type Claimed, parseAuthentication } from './responses.ts';
import { type UsedCredential, verifyAuthentication } from './verification.ts';

export interface PasskeySignInOptions {
  operations: AccountOperations;
  store: AccountStore;
  factors: FactorStore;
  challenges: PasskeyChallenges;
  /** `undefined` if browsers have no WebAuthn at the issuer. */
  relyingParty: RelyingParty | undefined;
  signInLimits: Pick<SignInLimits, 'admitPasskey'>;
  deviceCookies: DeviceCookies;
  now: () => Date;
}

export interface PasskeyAssertion {
  /** JSON. */
  response: string;
  /** Anti-forgery token of the form. */
  formToken: string;
  /** Device cookie of an earlier sign-in in this browser. */
  deviceCookie?: string | undefined;
}

export type PasskeySignInResult =
  | (SignInResult & { outcome: 'signed_in'; methods: readonly AuthenticationMethod[] })
  /** `expired`: the challenge was not redeemed, whatever the passkey. */
  | { outcome: 'rejected' | 'expired' };

export interface PasskeySignIn {
  /** Returns the options with which the browser signs in, as JSON; `undefined` without WebAuthn. */
  offerPasskeySignIn(formToken: string): string | undefined;
  /**
   * Signs in with a passkey (WebAuthn Level 3 §7.2). The outcome is `rejected` for an unknown passkey, a wrong
   * signature and a disabled account alike.
   *
   * @throws {AppError} `too_many_requests`, with `Retry-After`
   */
  authenticateWithPasskey(assertion: PasskeyAssertion, origin: Origin): Promise<PasskeySignInResult>;
}

type Assertion = Claimed<AuthenticationResponseJSON>;

/** Passkey that a response proved, and its account, or the reason for the audit log. */
type Proof =
  | { accountId: string; account: Account | undefined; passkey: Passkey }
  | { accountId: string | null; reason: string };

export function createPasskeySignIn(options: PasskeySignInOptions): PasskeySignIn {
  const { operations, challenges, relyingParty, signInLimits, deviceCookies } = options;
  const prove = createProof(options);

  async function reject(accountId: string | null, reason: string, origin: Origin) {
    const details = { method: 'passkey', reason };
    await operations.recordEvent('account.sign_in_failed', accountId, origin, details);
    return { outcome: 'rejected' } as const;
  }

  return {
    offerPasskeySignIn(formToken) {
      if (!relyingParty) return undefined;
      const challenge = challenges.create({ purpose: 'authentication', formToken });
      return JSON.stringify(toRequestOptions(relyingParty, challenge));
    },
    async authenticateWithPasskey({ response, formToken, deviceCookie }, origin) {
      const admission = await signInLimits.admitPasskey(origin.address);
      const claimed = parseAuthentication(response);
      if (!claimed || !relyingParty) return reject(null, 'malformed', origin);
      const scope = { purpose: 'authentication', formToken } as const;
      if (!(await challenges.redeem(claimed.challenge, scope))) return { outcome: 'expired' };
      const proof = await prove(claimed, relyingParty);
      if ('reason' in proof) return reject(proof.accountId, proof.reason, origin);
      const { account } = proof;
      if (!maySignIn(account)) return reject(proof.accountId, 'disabled', origin);
      await admission.refund();
      return {
        outcome: 'signed_in',
        account,
        methods: toMethods(proof.passkey),
        deviceCookie: deviceCookies.remember(deviceCookie, account),
      };
    },
  };
}

/** Creates the verification of a response against the stored passkey, which it then stores as used. */
function createProof({ store, factors, now }: Pick<PasskeySignInOptions, 'store' | 'factors' | 'now'>) {
  /** Resolves with `undefined` if another process wrote the factors in between. */
  async function proveOnce(claimed: Assertion, relyingParty: RelyingParty): Promise<Proof | undefined> {
    const { id, response } = claimed.response;
    const stored = await factors.findByPasskey(id);
    const passkey = stored?.passkeys.find((each) => each.id === id);
    if (!stored || !passkey) return { accountId: null, reason: 'unknown_passkey' };
    const { accountId } = stored;
    const used = await verifyAuthentication(claimed, relyingParty, passkey);
    // The user handle identifies the account (§7.2, step 6).
    if (!used || response.userHandle !== toUserHandle(accountId))
      return { accountId, reason: 'wrong_response' };
    const reason = findContradiction(used, passkey);
    if (reason) return { accountId, reason };
    // Before the write, which fails if the passkey is removed in between. A removal that comes later ends this sign-in.
    const account = await store.find(accountId);
    const next = { ...passkey, ...used, lastUsedAt: now() };
    const passkeys = stored.passkeys.map((each) => (each.id === id ? next : each));
    const outcome = await factors.replace(updateDocument(stored, { passkeys }), stored.version);
    return outcome === 'replaced' ? { accountId, account, passkey: next } : undefined;
  }

  return async function prove(claimed: Assertion, relyingParty: RelyingParty): Promise<Proof> {
    for (;;) {
      const proof = await proveOnce(claimed, relyingParty);
      if (proof) return proof;
    }
  };
}

/** Returns how a response contradicts the stored passkey (§7.2, steps 18 and 22). */
function findContradiction(used: UsedCredential, stored: Passkey): string | undefined {
  if (used.isSyncable !== stored.isSyncable) return 'wrong_response';
  // An authenticator that counts may have been cloned (§6.1.1).
  const isCounting = used.counter > 0 || stored.counter > 0;
  return isCounting && used.counter <= stored.counter ? 'counter_reversed' : undefined;
}

/** Returns the methods of a passkey (RFC 8176 §2): the key, and what unlocked it. */
export function toMethods({ isSyncable }: Pick<Passkey, 'isSyncable'>): readonly AuthenticationMethod[] {
  return [isSyncable ? 'swk' : 'hwk', 'user', 'mfa'];
}
