import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureFolder } from '@keydesk/storage/folder';
import { z } from 'zod';

const DEVELOPMENT_PREFIX = 'development:';
const SECRET_BYTES = 32;
/** Length of 32 bytes in base64url; in hexadecimal they have 64 characters. */
const MIN_LENGTH = 43;
const MIN_DISTINCT_CHARACTERS = 10;

/** Schema of the master secret that all keys derive from: at least 32 bytes of entropy, in any text encoding. */
export const masterSecretSchema = z
  .string('is missing: it seals the signing keys and every stored secret (openssl rand -base64 32)')
  .refine(
    (secret) => secret.length >= MIN_LENGTH && new Set(secret).size >= MIN_DISTINCT_CHARACTERS,
    `needs at least ${SECRET_BYTES} random bytes, which are ${MIN_LENGTH} characters (openssl rand -base64 32)`,
  );

/** Whether `createDevelopmentSecret` created the secret, which production rejects. */
export function isDevelopmentSecret(secret: string): boolean {
  return secret.startsWith(DEVELOPMENT_PREFIX);
}

/** Creates a master secret for development in a file that only its owner can read. An existing file is kept. */
export function createDevelopmentSecret(path: string): void {
  ensureFolder(dirname(path));
  const secret = `${DEVELOPMENT_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}\n`;
  try {
    writeFileSync(path, secret, { mode: 0o600, flag: 'wx' });
  } catch (err) {
    if (!(err instanceof Error && 'code' in err && err.code === 'EEXIST')) throw err;
  }
}
