import { createHmac, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefix by which secret scanners recognize a leaked secret. */
const PREFIX = 'kdcs_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters in base 62 hold 256 bits. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const format = new RegExp(`^${PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Creates a client secret: `kdcs_`, 43 random characters and their CRC-32 in 6 characters, in base 62. */
export function createClientSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${PREFIX}${random}${toChecksum(random)}`;
}

/** Whether a text has the format and the checksum of a client secret. */
export function isClientSecret(text: string): boolean {
  if (!format.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(toChecksum(random));
}

/** Returns the last four characters, by which users distinguish secrets. */
export function toHint(secret: string): string {
  return secret.slice(-4);
}

/** Returns the stored digest of a secret: HMAC-SHA-256, base64url, with a key that is not in the database. */
export function toDigest(secret: string, key: KeyObject): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}

/** Finds the presented secret among the unexpired ones; compares every digest in constant time. */
export function findSecret<S extends { digest: string; expiresAt: Date | null }>(
  secrets: readonly S[],
  presented: string,
  { key, now }: { key: KeyObject; now: Date },
): S | undefined {
  if (!isClientSecret(presented)) return undefined;
  const digest = Buffer.from(toDigest(presented, key));
  return secrets
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .filter((secret) => timingSafeEqual(Buffer.from(secret.digest), digest))
    .at(0);
}

function toChecksum(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    checksum = ALPHABET[rest % ALPHABET.length] + checksum;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return checksum;
}
