import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { DEVICE_GRANT } from '../../clients/client-types.ts';

/** Credential that each grant redeems, and how to get a new one. */
const credentials: Readonly<Record<string, readonly [name: string, remedy: string]>> = {
  authorization_code: ['authorization code', 'start a new authorization request'],
  refresh_token: ['refresh token', 'start a new authorization request'],
  [DEVICE_GRANT]: ['device code', 'start a new device authorization request'],
};

const REVOKED = 'The grant was revoked or has expired; start a new authorization request.';
const WRONG_KEY =
  'The DPoP proof is missing or made with another key; use the key that the grant is bound to.';

/**
 * Descriptions by prefix of oidc-provider's `error_detail`. These checks come after the credential was found and
 * belongs to the client. An unknown credential and one of another client get the same description.
 */
const descriptions: readonly (readonly [detail: string, description: string])[] = [
  ['code_verifier must', 'code_verifier is missing; send the verifier of the code_challenge.'],
  [
    'code_verifier does',
    'code_verifier does not match code_challenge; send the verifier of the code_challenge.',
  ],
  ['arguments must be strings', 'The request had no code_challenge; send no code_verifier.'],
  [
    'authorization code redirect_uri',
    'redirect_uri differs from the authorization request; send the same value.',
  ],
  ['grant ', REVOKED],
  ['missing DPoP', WRONG_KEY],
  ['DPoP proof key', WRONG_KEY],
  ['failed jkt', WRONG_KEY],
];

/**
 * Wraps a grant to explain rejections in `error_description` (RFC 6749 §5.2). oidc-provider has one text for every
 * `invalid_grant` and names no scope.
 */
export function withErrorDescriptions<Ctx extends KoaContextWithOIDC>(
  handle: (ctx: Ctx) => void | Promise<void>,
) {
  return async function describeErrors(ctx: Ctx): Promise<void> {
    try {
      await handle(ctx);
    } catch (err) {
      if (err instanceof errors.InvalidGrant) err.error_description = describeInvalidGrant(ctx, err);
      if (err instanceof errors.InvalidScope && ctx.oidc.params?.grant_type === 'refresh_token')
        err.error_description = `The refresh token does not cover ${scopeOf(err)}; request scopes that it covers.`;
      throw err;
    }
  };
}

function describeInvalidGrant(
  { oidc }: KoaContextWithOIDC,
  { error_detail = '' }: errors.InvalidGrant,
): string {
  const found = descriptions.find(([detail]) => error_detail.startsWith(detail));
  if (found) return found[1];
  const [name, remedy] = credentials[String(oidc.params?.grant_type)] ?? ['grant', 'request another'];
  if (error_detail.endsWith('already used')) return `The ${name} was already used; ${remedy}.`;
  return `The ${name} is invalid, expired or already used; ${remedy}.`;
}

const MAX_SCOPE_LENGTH = 100;

function scopeOf(err: errors.InvalidScope): string {
  const { scope } = err as { scope?: string };
  return scope ? `the scope ${scope.slice(0, MAX_SCOPE_LENGTH)}` : 'the scope';
}
