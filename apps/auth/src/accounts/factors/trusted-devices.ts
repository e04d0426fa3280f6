import { hash, randomBytes } from 'node:crypto';
import type { Account } from '../account/account.ts';
import type { Factors, TrustedDevice } from './factors.ts';

/** Days for which a trusted device is not asked for the second factor. */
export const TRUST_DAYS = 30;
const TRUST_MS = TRUST_DAYS * 86_400_000;
const MAX_DEVICES = 10;
const SECRET_BYTES = 32;

/** Creates a trusted device, and the secret for its cookie. */
export function createTrustedDevice(
  { id, description }: Pick<TrustedDevice, 'id' | 'description'>,
  { credentialEpoch }: Pick<Account, 'credentialEpoch'>,
  createdAt: Date,
): { secret: string; device: TrustedDevice } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = new Date(createdAt.getTime() + TRUST_MS);
  return {
    secret,
    device: { id, description, digest: toDigest(secret), credentialEpoch, createdAt, expiresAt },
  };
}

/** Returns the devices that are still trusted; each change of the credentials ends the trust in all of them. */
export function listTrustedDevices(
  { trustedDevices }: Factors,
  { credentialEpoch }: Pick<Account, 'credentialEpoch'>,
  now: Date,
): readonly TrustedDevice[] {
  return trustedDevices.filter((each) => each.credentialEpoch === credentialEpoch && each.expiresAt > now);
}

/** Adds a device in place of the oldest one, if there are too many. */
export function addTrustedDevice(
  trusted: readonly TrustedDevice[],
  device: TrustedDevice,
): readonly TrustedDevice[] {
  return [...trusted, device].slice(-MAX_DEVICES);
}

/** Whether one of the secrets of a browser belongs to one of these devices. */
export function hasTrustedDevice(trusted: readonly TrustedDevice[], secrets: readonly string[]): boolean {
  const digests = secrets.map(toDigest);
  return trusted.some(({ digest }) => digests.includes(digest));
}

function toDigest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
