import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopback } from '@keydesk/config';
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import { UpstreamError } from './upstream-client.ts';

export interface LogOutTokensOptions {
  /** `fetch` with limits of time and size. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Returns the URL of the provider's keys. @throws {UpstreamError} `unavailable` */
  findJwksUri(provider: IdentityProvider): Promise<string | undefined>;
  now: () => Date;
}

/** Claims of a valid logout token; at least one of `subject` and `sid` is set. */
export interface LogOutToken {
  subject: string | undefined;
  sid: string | undefined;
  jti: string;
  expiresAt: Date;
}

/** Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.6). */
export interface LogOutTokens {
  /** @throws {UpstreamError} `invalid`, or `unavailable` if the keys cannot be fetched */
  verify(provider: IdentityProvider, token: string): Promise<LogOutToken>;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** §2.4 recommends the explicit type; older providers send `JWT` or none. */
const types = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];
const CLOCK_TOLERANCE_SECONDS = 60;
/** Bounds the time for which used tokens are remembered. */
const MAX_AGE_SECONDS = 600;
const MAX_LENGTH = 8_192;
/** Pause between two requests for the keys of a provider; tokens with unknown keys cause them. */
const KEYS_COOLDOWN_MS = 1_000;

export function createLogOutTokens({ fetch, findJwksUri, now }: LogOutTokensOptions): LogOutTokens {
  const keySets = new Map<string, JWTVerifyGetKey>();

  async function keysOf(provider: IdentityProvider): Promise<JWTVerifyGetKey> {
    const uri = await findJwksUri(provider);
    if (uri === undefined) throw new UpstreamError('invalid', 'no_keys');
    const cached = keySets.get(uri);
    if (cached) return cached;
    if (!uri.startsWith('https:') && !isLoopback(uri))
      throw new UpstreamError('unavailable', 'insecure_keys');
    const keys = createRemoteJWKSet(new URL(uri), {
      [customFetch]: (url, init) => fetch(url, init),
      cooldownDuration: KEYS_COOLDOWN_MS,
    });
    keySets.set(uri, keys);
    return keys;
  }

  return {
    async verify(provider, token) {
      // The claims are checked before a key is fetched, so that unrelated tokens cause no requests.
      readClaims(provider, decode(token));
      const keys = await keysOf(provider);
      const checks = {
        algorithms: [provider.idTokenAlgorithm],
        issuer: provider.issuer,
        audience: provider.clientId,
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        currentDate: now(),
      };
      try {
        const { payload, protectedHeader } = await verifyByNewestKeys(token, keys, checks);
        if (!types.includes(protectedHeader.typ?.toLowerCase())) throw new UpstreamError('invalid', 'typ');
        return readClaims(provider, payload);
      } catch (err) {
        throw toUpstreamError(err);
      }
    },
  };
}

/** Verifies a token; its key may be newer than the keys that were just fetched (OpenID Connect Core §10.1.1). */
async function verifyByNewestKeys(token: string, keys: JWTVerifyGetKey, checks: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, keys, checks);
  } catch (err) {
    if (!(err instanceof errors.JWKSNoMatchingKey)) throw err;
    await sleep(KEYS_COOLDOWN_MS);
    return jwtVerify(token, keys, checks);
  }
}

function decode(token: string): JWTPayload {
  try {
    if (token.length <= MAX_LENGTH) return decodeJwt(token);
  } catch {
    // Not a JWT.
  }
  throw new UpstreamError('invalid', 'malformed');
}

/** Checks the claims that distinguish a logout token from all other tokens of the provider (§2.4, §2.6). */
function readClaims({ issuer }: IdentityProvider, claims: JWTPayload): LogOutToken {
  const { iss, sub, sid, jti, exp, events } = claims;
  const reject = (code: string): never => {
    throw new UpstreamError('invalid', code);
  };
  if (iss !== issuer) reject('iss');
  if ('nonce' in claims) reject('nonce');
  if (!isObject(events) || !Object.hasOwn(events, EVENT) || !isObject(events[EVENT])) reject('events');
  const [subject, session] = [sub, sid].map((each) =>
    typeof each === 'string' && each !== '' ? each : undefined,
  );
  if ((sub !== undefined && !subject) || (sid !== undefined && !session)) reject('sub_or_sid');
  if (subject === undefined && session === undefined) reject('sub_or_sid');
  if (typeof jti !== 'string' || jti === '' || typeof exp !== 'number') return reject('jti_or_exp');
  return { subject, sid: session, jti, expiresAt: new Date((exp + CLOCK_TOLERANCE_SECONDS) * 1000) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toUpstreamError(err: unknown): UpstreamError {
  if (err instanceof UpstreamError) return err;
  const isToken = err instanceof errors.JOSEError && !(err instanceof errors.JWKSTimeout);
  const isFetch = err instanceof errors.JOSEError && err.code === 'ERR_JOSE_GENERIC';
  const code = err instanceof errors.JOSEError ? err.code : 'jwks';
  return new UpstreamError(isToken && !isFetch ? 'invalid' : 'unavailable', code, { cause: err });
}
