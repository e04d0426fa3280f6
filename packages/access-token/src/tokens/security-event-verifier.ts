import type { Algorithm } from '../jws/algorithms.ts';
import { isSignedBy, parseCompactJws } from '../jws/compact-jws.ts';
import { isJsonObject, type JsonObject } from '../jws/json-object.ts';
import { rejectedParameters } from '../jws/token-header.ts';
import type { Jwks } from '../keys/jwks.ts';

/** Options of a verifier of security event tokens: transmitter, receiver and keys. */
export interface SecurityEventVerifierOptions {
  /** Issuer whose events are accepted, exactly as in `iss`. */
  issuer: string;
  /** Identifier of this receiver; `aud` must contain it. */
  audience: string;
  jwks: Jwks;
  /** Accepted signature algorithms; `jwks` must import keys for them. Default: ES256. */
  algorithms?: readonly Algorithm[];
}

/** A verified security event token. */
export interface SecurityEventToken {
  readonly jti: string;
  /** Payloads of the events by their URI (RFC 8417 §2.2). */
  readonly events: Readonly<Record<string, JsonObject>>;
  /** Subject in the format `iss_sub` (RFC 9493 §3.2.4); `undefined` if it has another format. */
  readonly subject: { readonly issuer: string; readonly subject: string } | undefined;
}

/** Codes by which a receiver rejects a token (RFC 8935 §2.4). */
export type SecurityEventErrorCode =
  | 'invalid_request'
  | 'invalid_key'
  | 'invalid_issuer'
  | 'invalid_audience';

/** The token is invalid. The message repeats no part of it. */
export class InvalidSecurityEventError extends Error {
  readonly code: SecurityEventErrorCode;

  constructor(code: SecurityEventErrorCode, message: string) {
    super(message);
    this.name = 'InvalidSecurityEventError';
    this.code = code;
  }
}

/** Verifies security event tokens (RFC 8417). */
export interface SecurityEventVerifier {
  /**
   * @throws {InvalidSecurityEventError} when the token is invalid; `invalid_key` also if the issuer has not published
   *   the key yet
   * @throws {KeysUnavailableError} when the issuer's keys are not available
   */
  verify(token: string): Promise<SecurityEventToken>;
}

const eventTypes = ['secevent+jwt', 'application/secevent+jwt'];
const rejectedInEvents = [...rejectedParameters, 'jwk'];

/**
 * Creates a verifier. Only explicitly typed tokens are accepted, so that no access token or ID token of the issuer
 * passes as an event (RFC 8417 §4.5, RFC 8725 §3.11). Every claim is checked before a key is fetched.
 */
export function createSecurityEventVerifier(options: SecurityEventVerifierOptions): SecurityEventVerifier {
  const { jwks, algorithms = ['ES256'] } = options;
  return {
    async verify(token) {
      const jws = parseCompactJws(token);
      if (!jws) throw invalidRequest('The security event token is malformed.');
      const { alg, kid } = readHeader(jws.header, algorithms);
      const event = readClaims(jws.payload, options);
      const key = (await jwks.findKey(kid))?.byAlgorithm.get(alg);
      if (!key) throw invalid('invalid_key', 'The security event token is signed by no known key.');
      if (!(await isSignedBy(token, alg, key)))
        throw invalid('invalid_key', 'The signature of the security event token is wrong.');
      return event;
    },
  };
}

function readHeader(header: JsonObject, algorithms: readonly Algorithm[]): { alg: Algorithm; kid: string } {
  const { typ, kid } = header;
  if (typeof typ !== 'string' || !eventTypes.includes(typ.toLowerCase()))
    throw invalidRequest('The token is not a security event token (typ secevent+jwt).');
  const alg = algorithms.find((algorithm) => algorithm === header.alg);
  if (alg === undefined) throw invalid('invalid_key', 'The algorithm of the token is not accepted.');
  if (typeof kid !== 'string' || kid === '') throw invalid('invalid_key', 'The token has no kid.');
  if (rejectedInEvents.some((name) => Object.hasOwn(header, name)))
    throw invalidRequest('The header of the token has a parameter that is not accepted.');
  return { alg, kid };
}

function readClaims(
  claims: JsonObject,
  { issuer, audience }: Pick<SecurityEventVerifierOptions, 'issuer' | 'audience'>,
): SecurityEventToken {
  const { iss, aud, jti, iat, events } = claims;
  if (iss !== issuer) throw invalid('invalid_issuer', 'The token names another issuer.');
  if (![aud].flat().includes(audience))
    throw invalid('invalid_audience', 'The token names another receiver.');
  if (typeof jti !== 'string' || jti === '') throw invalidRequest('The claim jti is missing or malformed.');
  if (typeof iat !== 'number') throw invalidRequest('The claim iat is missing or malformed.');
  if (!isJsonObject(events) || !Object.values(events).every(isJsonObject) || Object.keys(events).length === 0)
    throw invalidRequest('The claim events is missing or malformed.');
  return { jti, events: events as SecurityEventToken['events'], subject: readSubject(claims.sub_id) };
}

function readSubject(id: unknown): SecurityEventToken['subject'] {
  if (!isJsonObject(id) || id.format !== 'iss_sub') return undefined;
  const { iss: issuer, sub: subject } = id;
  return typeof issuer === 'string' && typeof subject === 'string' ? { issuer, subject } : undefined;
}

function invalid(code: SecurityEventErrorCode, message: string): InvalidSecurityEventError {
  return new InvalidSecurityEventError(code, message);
}

function invalidRequest(message: string): InvalidSecurityEventError {
  return invalid('invalid_request', message);
}
