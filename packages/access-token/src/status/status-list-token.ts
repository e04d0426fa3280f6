import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { Algorithm } from '../jws/algorithms.ts';
import { isSignedBy, parseCompactJws } from '../jws/compact-jws.ts';
import { isJsonObject, type JsonObject } from '../jws/json-object.ts';
import { rejectedParameters } from '../jws/token-header.ts';
import type { Jwks } from '../keys/jwks.ts';

/** A verified status list. */
export interface StatusList {
  readonly bits: number;
  /** Statuses, the first one in the least significant bits of the first byte (Token Status List §4.1). */
  readonly bytes: Uint8Array;
  /** `iat`, in seconds since the epoch. */
  readonly issuedAtSeconds: number;
}

/** Expected values of a status list token. */
export interface StatusListExpectations {
  issuer: string;
  /** URI of the list, as in the tokens that refer to it. */
  uri: string;
  jwks: Jwks;
  algorithms: readonly Algorithm[];
  nowSeconds: number;
  toleranceSeconds: number;
}

const inflateInPool = promisify(inflate);
/** Limit of the signed token. */
export const MAX_TOKEN_BYTES = 4 * 1024 * 1024;
/** Limit of the decompressed list: 32 million statuses of one bit. A small list can expand a thousandfold. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const listTypes = ['statuslist+jwt', 'application/statuslist+jwt'];
const rejectedInLists = [...rejectedParameters, 'jwk'];

/**
 * Verifies a status list token (Token Status List §8.3). The explicit type keeps other tokens of the issuer from passing
 * as a list (RFC 8725 §3.11).
 *
 * @throws {Error} when the token is not a valid list of the issuer
 */
export async function verifyStatusList(token: string, expected: StatusListExpectations): Promise<StatusList> {
  const jws = parseCompactJws(token, MAX_TOKEN_BYTES);
  assert(jws, 'The status list token is malformed.');
  const { typ, kid } = jws.header;
  assert(
    typeof typ === 'string' && listTypes.includes(typ.toLowerCase()),
    'The token is no status list token.',
  );
  const alg = expected.algorithms.find((algorithm) => algorithm === jws.header.alg);
  assert(alg, 'The algorithm of the status list token is not accepted.');
  assert(typeof kid === 'string' && kid !== '', 'The status list token has no kid.');
  const hasRejected = rejectedInLists.some((name) => Object.hasOwn(jws.header, name));
  assert(!hasRejected, 'The header of the status list token has a parameter that is not accepted.');
  const list = readClaims(jws.payload, expected);
  const key = (await expected.jwks.findKey(kid))?.byAlgorithm.get(alg);
  assert(key, 'The status list token is signed by no known key.');
  assert(await isSignedBy(token, alg, key), 'The signature of the status list token is wrong.');
  const compressed = Buffer.from(list.lst, 'base64url');
  const bytes = await inflateInPool(compressed, { maxOutputLength: MAX_LIST_BYTES });
  return { bits: list.bits, bytes, issuedAtSeconds: list.issuedAtSeconds };
}

function readClaims(claims: JsonObject, expected: StatusListExpectations) {
  const { iss, sub, iat, exp, status_list: list } = claims;
  const { nowSeconds, toleranceSeconds } = expected;
  // The draft requires no `iss`; its keys prove the issuer.
  assert(iss === undefined || iss === expected.issuer, 'The status list token names another issuer.');
  assert(sub === expected.uri, 'The status list token names another list.');
  assert(isTime(iat) && iat <= nowSeconds + toleranceSeconds, 'The status list token has no valid iat.');
  const isAlive = exp === undefined || (isTime(exp) && nowSeconds < exp + toleranceSeconds);
  assert(isAlive, 'The status list token has expired.');
  assert(isJsonObject(list), 'The status list token has no list.');
  const { bits, lst } = list;
  assert(typeof bits === 'number' && [1, 2, 4, 8].includes(bits), 'The bits of the status list are invalid.');
  assert(typeof lst === 'string', 'The status list token has no list.');
  return { bits, lst, issuedAtSeconds: iat };
}

/** Returns a status; `undefined` if the index is outside of the list. 0 is VALID (§7.1). */
export function statusAt({ bits, bytes }: StatusList, index: number): number | undefined {
  const perByte = 8 / bits;
  const byte = bytes[Math.floor(index / perByte)];
  return byte === undefined ? undefined : (byte >> ((index % perByte) * bits)) & (2 ** bits - 1);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
