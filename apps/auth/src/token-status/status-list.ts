import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { createJwsSigner } from '../keys/jws-signer.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { MAX_STATUSES } from './token-status-store.ts';

/** Smallest number of statuses in a list, so that its size does not reveal how few grants there are (§12.4). */
const MIN_STATUSES = 2 ** 17;
const BEST_COMPRESSION = 9;

const deflateInPool = promisify(deflate);

/**
 * Returns the number of statuses in a list: a power of two, and at least twice as many as were leased, so that a
 * resource server that misses some lists still finds every new index in its own.
 */
export function sizeOfList(leased: number): number {
  const needed = Math.max(2 * leased, MIN_STATUSES);
  return Math.min(2 ** Math.ceil(Math.log2(needed)), MAX_STATUSES);
}

/** Creates the compressed byte array of a list of one bit per status (Token Status List §4.1). */
export async function compressStatuses(size: number, revoked: readonly number[]): Promise<string> {
  const bytes = Buffer.alloc(size / 8);
  // Bits are counted from the least significant one.
  for (const index of revoked) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  return (await deflateInPool(bytes, { level: BEST_COMPRESSION })).toString('base64url');
}

/** Claims of a status list token, besides the list (§5.1); times in seconds. */
export interface StatusListClaims {
  iss: string;
  sub: string;
  iat: number;
  exp: number;
  ttl: number;
}

/** Signs a status list token (§5.1). */
export async function signStatusList(
  key: SigningKey,
  claims: StatusListClaims,
  lst: string,
): Promise<string> {
  // The explicit type prevents confusion with access tokens, which the same key signs (RFC 8725 §3.11).
  const header = { alg: key.algorithm, typ: 'statuslist+jwt', kid: key.kid };
  const input = `${encode(header)}.${encode({ ...claims, status_list: { bits: 1, lst } })}`;
  const signature = await createJwsSigner(key)(Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
