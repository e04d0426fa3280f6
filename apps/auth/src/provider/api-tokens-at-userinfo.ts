import type { AdapterPayload } from 'oidc-provider';
import type { Sealer } from '../keys/sealing.ts';
import { openPayload } from './artifact-payload.ts';
import type { FindIssuedAccessToken } from './issued-access-tokens.ts';

/** The part of a grant that the userinfo endpoint uses. */
interface GrantPayload {
  jti: string;
  openid?: { claims?: readonly string[] };
}

/** The access token of a person that this JWT is, as the library would have stored it; `undefined` for any other. */
export type FindJwtAccessToken = (jwt: string) => Promise<AdapterPayload | undefined>;

/**
 * Lets the userinfo endpoint (OpenID Connect Core §5.3) know the access tokens for the API, too: the one token that an
 * application got tells it who signed in, when it was asked for with `openid`. They are JWTs, which are not stored; whether
 * the account, the client and the proof of a key are still good is asked by the library, as of its own tokens.
 * Of the claims that are asked for one by one it knows those that were allowed.
 */
export function createJwtAccessTokenFinder(
  findIssued: FindIssuedAccessToken,
  sealer: Sealer,
): FindJwtAccessToken {
  return async (jwt) => {
    const issued = await findIssued(jwt);
    if (!issued?.grant) return undefined;
    const { jti: grantId, openid } = openPayload<GrantPayload>(sealer, issued.grant);
    const { jti, iat, exp, sub, client_id: clientId, openid_scope: scope, cnf } = issued.claims;
    return {
      kind: 'AccessToken',
      jti,
      iat,
      exp,
      accountId: sub,
      clientId,
      grantId,
      ...(scope !== undefined && { scope }),
      ...(cnf?.jkt !== undefined && { jkt: cnf.jkt }),
      claims: { userinfo: Object.fromEntries((openid?.claims ?? []).map((claim) => [claim, null])) },
    };
  };
}
