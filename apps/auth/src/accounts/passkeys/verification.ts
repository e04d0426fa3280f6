import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey } from '../factors/factors.ts';
import { passkeyAlgorithms } from './ceremony-options.ts';
import type { RelyingParty } from './relying-party.ts';
import type { Claimed } from './responses.ts';

/** A COSE_Key of RSA with 4096 bits has about 540 bytes. */
const MAX_KEY_BYTES = 1_024;

/** A new credential, without what the account adds. */
export type NewCredential = Pick<
  Passkey,
  'id' | 'publicKey' | 'counter' | 'transports' | 'isSyncable' | 'isSynced'
>;

/** State of a passkey after a verified sign-in. */
export type UsedCredential = Pick<Passkey, 'counter' | 'isSyncable' | 'isSynced'>;

/**
 * Verifies the response to the creation of a passkey (WebAuthn Level 3 §7.1). The challenge has been redeemed. Returns
 * `undefined` for every response that does not prove a new credential.
 */
export async function verifyRegistration(
  { response, challenge }: Claimed<RegistrationResponseJSON>,
  relyingParty: RelyingParty,
): Promise<NewCredential | undefined> {
  return orUndefined(async () => {
    if (await hasCertificate(response)) return undefined;
    const { verifyRegistrationResponse } = await loadLibrary();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      ...toExpectations(challenge, relyingParty),
      supportedAlgorithmIDs: passkeyAlgorithms,
    });
    if (!registrationInfo || registrationInfo.credential.publicKey.length > MAX_KEY_BYTES) return undefined;
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    // The browser and the authenticator must name the same credential.
    if (credential.id !== response.id) return undefined;
    return {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: response.response.transports ?? [],
      isSyncable: credentialDeviceType === 'multiDevice',
      isSynced: credentialBackedUp,
    };
  });
}

/**
 * Verifies the response to a sign-in with the stored public key (§7.2), except for the user handle and the signature
 * counter. The challenge has been redeemed. Returns `undefined` for every response that does not prove the passkey.
 */
export async function verifyAuthentication(
  { response, challenge }: Claimed<AuthenticationResponseJSON>,
  relyingParty: RelyingParty,
  { id, publicKey }: Pick<Passkey, 'id' | 'publicKey'>,
): Promise<UsedCredential | undefined> {
  return orUndefined(async () => {
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      ...toExpectations(challenge, relyingParty),
      // The counter is 0, so that the library does not compare it: the caller does, and records a fault.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    });
    if (!verified) return undefined;
    const { newCounter: counter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    return { counter, isSyncable: credentialDeviceType === 'multiDevice', isSynced: credentialBackedUp };
  });
}

/** Loads the library at its first use, because it would take most of the start of each CLI command. */
const loadLibrary = () => import('@simplewebauthn/server');

function toExpectations(challenge: string, { id, origins }: RelyingParty) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: id,
    requireUserVerification: true,
  };
}

/**
 * Whether an attestation has certificates. None was requested, so browsers send none (§5.1.3); verifying one could fetch
 * its revocation list from any address.
 */
async function hasCertificate({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(
    new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
  );
  const format = attestation.get('fmt');
  return format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined);
}

/** The library throws for every invalid response, even for malformed CBOR. */
async function orUndefined<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
