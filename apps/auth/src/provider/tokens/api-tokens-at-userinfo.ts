import type { AdapterPayload } from 'oidc-provider';
import { openPayload } from '../../artifacts/artifact-payload.ts';
import type { Sealer } from '../../keys/sealing.ts';
import type { FindIssuedAccessToken } from './issued-access-tokens.ts';

/** The part of a grant that the userinfo endpoint uses. */
interface GrantPayload {
  jti: string;
  openid?: { claims?: readonly string[] };
}

/**
 * Finds the stateless access token of a user, in the form oidc-provider would have stored; `undefined` for any other
 * JWT.
 */
export type FindJwtAccessToken = (jwt: string) => Promise<AdapterPayload | undefined>;

/**
 * Makes access tokens for the API usable at the userinfo endpoint (OpenID Connect Core §5.3). An application that
 * requested `openid` therefore needs only one token. These JWTs are not stored. oidc-provider then checks the account,
 * the client and the proof of possession as for its own tokens. Of individually requested claims only the granted ones
 * are returned.
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
