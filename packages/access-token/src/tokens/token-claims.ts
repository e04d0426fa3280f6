import { ForeignTokenError, InvalidTokenError } from '../jws/errors.ts';
import { isJsonObject, type JsonObject } from '../jws/json-object.ts';
import type { StatusReference } from '../status/status-claim.ts';

/** A verified access token; frozen because requests with the same token share it. */
export interface AccessToken {
  /** `sub`: the user, or the client itself with the client credentials grant. */
  readonly subject: string;
  /** `client_id`: the client the token was issued to. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** `role` of the subject at the issuer, if present. */
  readonly role: string | undefined;
  /** `acr`: class of the user's authentication (RFC 9068 §2.2.1), if present. */
  readonly acr: string | undefined;
  /** `amr`: methods of the user's authentication (RFC 8176), empty if unknown. */
  readonly amr: readonly string[];
  /** `auth_time`: time of the user's authentication in seconds since the epoch, if present. */
  readonly authTimeSeconds: number | undefined;
  /** `exp`, in seconds since the epoch. */
  readonly expiresAtSeconds: number;
  readonly jti: string;
  /** `cnf`: the key whose possession the client must prove (RFC 7800); such a token is not a bearer token. */
  readonly confirmation: JsonObject | undefined;
  /** `status`: its place in a token status list; `undefined` if it has none, or the verifier uses no list. */
  readonly status: StatusReference | undefined;
  /** Every claim as issued. */
  readonly claims: JsonObject;
}

/** Expected values for the claims; times in seconds since the epoch. */
export interface Expectations {
  issuer: string;
  /** Accepted audiences; `aud` must contain one. */
  audiences: readonly string[];
  nowSeconds: number;
  toleranceSeconds: number;
}

/**
 * Checks the claims of RFC 9068 §2.2 and the time claims of RFC 7519 §4.1; the status is not checked.
 *
 * @throws {InvalidTokenError} naming the first check that fails
 */
export function readClaims(claims: JsonObject, expected: Expectations): Omit<AccessToken, 'status'> {
  const { nowSeconds, toleranceSeconds } = expected;
  const expiresAtSeconds = readTime(claims, 'exp');
  const notBefore = claims.nbf === undefined ? 0 : readTime(claims, 'nbf');
  if (claims.iss !== expected.issuer)
    throw new ForeignTokenError(`This token names an issuer other than ${expected.issuer}`);
  if (!includesAudience(claims.aud, expected.audiences))
    throw new ForeignTokenError('This token is not for this API');
  assert(nowSeconds < expiresAtSeconds + toleranceSeconds, 'The access token has expired.');
  assert(
    readTime(claims, 'iat') <= nowSeconds + toleranceSeconds,
    'The access token was issued in the future.',
  );
  assert(notBefore <= nowSeconds + toleranceSeconds, 'The access token is not valid yet.');
  return Object.freeze({
    subject: readText(claims, 'sub'),
    clientId: readText(claims, 'client_id'),
    scopes: new Set(readOptionalText(claims, 'scope')?.split(' ').filter(Boolean)),
    role: readOptionalText(claims, 'role'),
    acr: readOptionalText(claims, 'acr'),
    amr: readMethods(claims),
    authTimeSeconds: claims.auth_time === undefined ? undefined : readTime(claims, 'auth_time'),
    expiresAtSeconds,
    jti: readText(claims, 'jti'),
    confirmation: readConfirmation(claims),
    claims: Object.freeze(claims),
  });
}

function includesAudience(aud: unknown, audiences: readonly string[]): boolean {
  return [aud].flat().some((each) => audiences.includes(each as string));
}

function readText(claims: JsonObject, name: string): string {
  const value = claims[name];
  assert(typeof value === 'string' && value !== '', describeBadClaim(name));
  return value;
}

function readOptionalText(claims: JsonObject, name: string): string | undefined {
  const value = claims[name];
  assert(value === undefined || typeof value === 'string', describeBadClaim(name));
  return value;
}

function readTime(claims: JsonObject, name: string): number {
  const value = claims[name];
  assert(typeof value === 'number' && Number.isFinite(value), describeBadClaim(name));
  return value;
}

function readMethods({ amr = [] }: JsonObject): readonly string[] {
  assert(isListOfTexts(amr), describeBadClaim('amr'));
  return amr;
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function readConfirmation({ cnf }: JsonObject): JsonObject | undefined {
  assert(cnf === undefined || isJsonObject(cnf), describeBadClaim('cnf'));
  return cnf;
}

function describeBadClaim(name: string): string {
  return `The claim ${name} of the access token is missing or malformed.`;
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvalidTokenError(message);
}
