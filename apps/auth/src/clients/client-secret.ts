import { createHmac, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Lets secret scanners recognise a leaked secret: prefix, 256 random bits, checksum. */
const PREFIX = 'kdcs_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of 62 kinds are 256 bits. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const format = new RegExp(`^${PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new client secret: `kdcs_`, 43 random characters, and the CRC-32 of these in six characters, all base 62. */
export function createClientSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${PREFIX}${random}${checksumOf(random)}`;
}

/** Whether a text has the form and the checksum of a client secret; says nothing about whose it is. */
export function isClientSecret(text: string): boolean {
  if (!format.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksumOf(random));
}

/** The characters by which people tell secrets apart. */
export function hintOf(secret: string): string {
  return secret.slice(-4);
}

/** What is kept of a secret: its HMAC-SHA-256, base64url, under a key that the database does not hold. */
export function digestOf(secret: string, key: KeyObject): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}

/** The secret that was presented, among those that have not expired; every digest is compared in constant time. */
export function findSecret<S extends { digest: string; expiresAt: Date | null }>(
  secrets: readonly S[],
  presented: string,
  { key, now }: { key: KeyObject; now: Date },
): S | undefined {
  if (!isClientSecret(presented)) return undefined;
  const digest = Buffer.from(digestOf(presented, key));
  return secrets
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .filter((secret) => timingSafeEqual(Buffer.from(secret.digest), digest))
    .at(0);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    checksum = ALPHABET[rest % ALPHABET.length] + checksum;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return checksum;
}
