import { hash, randomBytes } from 'node:crypto';
import type { RecoveryCode } from './factors.ts';

/** Number of codes in a set. */
const RECOVERY_CODES = 10;
/** Base32 of Crockford, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 120 bits: a plain hash protects secrets of at least 112 bits (OWASP ASVS 5.0 §6.5.2). */
const CODE_LENGTH = 24;

/** Creates new codes in groups of four characters, and their digests for storage. */
export function createRecoveryCodes(createdAt: Date): {
  codes: readonly string[];
  stored: readonly RecoveryCode[];
} {
  const codes = Array.from({ length: RECOVERY_CODES }, createCode);
  return { codes, stored: codes.map((code) => ({ digest: toDigest(code), createdAt, usedAt: null })) };
}

function createCode(): string {
  // 256 is a multiple of 32, so that each character is equally likely.
  const characters = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
  return characters.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** Returns the codes with this one marked as used; `undefined` if it is unknown or was used (ASVS 5.0 §6.5.1). */
export function redeemRecoveryCode(
  codes: readonly RecoveryCode[],
  typed: string,
  usedAt: Date,
): readonly RecoveryCode[] | undefined {
  const digest = toDigest(typed);
  const found = codes.find((code) => code.usedAt === null && code.digest === digest);
  return found && codes.map((code) => (code === found ? { ...code, usedAt } : code));
}

export function countUnused(codes: readonly RecoveryCode[]): number {
  return codes.filter(({ usedAt }) => usedAt === null).length;
}

/** Accepts lower case, missing separators, and letters that look like digits. */
function toDigest(typed: string): string {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return hash('sha256', code, 'base64url');
}
