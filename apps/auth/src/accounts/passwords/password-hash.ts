import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Cost parameters of a hash (RFC 9106 §3.1). */
export interface Argon2Parameters {
  memoryKib: number;
  passes: number;
  parallelism: number;
}

/** Parts of a hash in PHC string format. */
interface ParsedHash extends Argon2Parameters {
  salt: Uint8Array;
  tag: Uint8Array;
}

const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Argon2 version 1.3, the only one that Node supports. */
const phcFormat = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const argon2id = promisify(argon2);

/** Hashes a password with argon2id. Returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. */
export async function hashPassword(password: string, parameters: Argon2Parameters): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return toPhc({ ...parameters, salt, tag: await computeTag(password, { ...parameters, salt }, TAG_BYTES) });
}

/**
 * Whether the password matches the hash; compares in constant time.
 *
 * @throws {Error} if the hash is not an argon2id PHC string
 */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const parsed = parsePhc(hash);
  return timingSafeEqual(await computeTag(password, parsed, parsed.tag.length), parsed.tag);
}

/** Creates a hash that matches no password and costs as much to check as any other. */
export function createDecoyHash(parameters: Argon2Parameters): string {
  return toPhc({ ...parameters, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) });
}

/** Whether a hash has other parameters than these. */
export function isOutdated(hash: string, parameters: Argon2Parameters): boolean {
  const { memoryKib, passes, parallelism } = parsePhc(hash);
  return (
    memoryKib !== parameters.memoryKib ||
    passes !== parameters.passes ||
    parallelism !== parameters.parallelism
  );
}

function computeTag(password: string, { salt, ...cost }: Omit<ParsedHash, 'tag'>, tagLength: number) {
  return argon2id('argon2id', {
    message: password,
    nonce: salt,
    memory: cost.memoryKib,
    passes: cost.passes,
    parallelism: cost.parallelism,
    tagLength,
  });
}

function toPhc({ memoryKib, passes, parallelism, salt, tag }: ParsedHash): string {
  const cost = `m=${memoryKib},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${toBase64(salt)}$${toBase64(tag)}`;
}

function parsePhc(hash: string): ParsedHash {
  const [, memory, passes, parallelism, salt, tag] = phcFormat.exec(hash) ?? [];
  if (salt === undefined || tag === undefined)
    throw new Error('A stored password hash is not in PHC format.');
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** Base64 without padding, as in PHC strings. */
function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
