import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Account } from '../account/account.ts';
import type { Passkey } from '../factors/factors.ts';
import { CHALLENGE_TTL_MS } from './challenges.ts';
import type { RelyingParty } from './relying-party.ts';

/** COSE algorithms of passkeys (WebAuthn Level 3 §5.4, `pubKeyCredParams`): ES256, EdDSA, RS256. */
export const passkeyAlgorithms = [-7, -8, -257];

/** Returns the user handle of an account, which contains no personal data (§14.6.1): its id. */
export function toUserHandle(accountId: string): string {
  return Buffer.from(accountId).toString('base64url');
}

interface CreationRequest {
  relyingParty: RelyingParty;
  account: Pick<Account, 'id' | 'email' | 'profile'>;
  passkeys: readonly Passkey[];
  challenge: string;
}

/** Returns the options with which a browser creates a passkey (§5.4): discoverable, and with user verification. */
export function toCreationOptions(request: CreationRequest): PublicKeyCredentialCreationOptionsJSON {
  const { relyingParty, account, passkeys, challenge } = request;
  const { id, name } = relyingParty;
  const displayName = account.profile.name ?? account.email;
  return {
    rp: { id, name },
    user: { id: toUserHandle(account.id), name: account.email, displayName },
    challenge,
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_TTL_MS,
    // No second passkey on the same authenticator (§5.4, excludeCredentials).
    excludeCredentials: passkeys.map((each) => ({ type: 'public-key', id: each.id })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

/**
 * Returns the options with which a browser signs in (§5.5). They name no passkeys, so they do not disclose which accounts
 * have some (§14.6.2).
 */
export function toRequestOptions(
  { id }: RelyingParty,
  challenge: string,
): PublicKeyCredentialRequestOptionsJSON {
  return {
    rpId: id,
    challenge,
    timeout: CHALLENGE_TTL_MS,
    userVerification: 'required',
    allowCredentials: [],
  };
}
