import type { AdapterPayload } from 'oidc-provider';
import { createJwtAccessTokenReader, type JwtAccessTokensOptions } from '../keys/jwt-access-token.ts';
import type { Sealer } from '../keys/sealing.ts';
import { openPayload } from './artifact-payload.ts';
import type { ArtifactStore } from './artifact-store.ts';

export interface ApiTokensAtUserinfoOptions extends JwtAccessTokensOptions {
  artifacts: Pick<ArtifactStore, 'find'>;
  sealer: Sealer;
}

/** What is used of a grant. */
interface GrantPayload {
  jti: string;
  openid?: { claims?: readonly string[] };
}

/** The access token of a person that this JWT is, as the library would have stored it; `undefined` for any other. */
export type FindJwtAccessToken = (jwt: string) => Promise<AdapterPayload | undefined>;

/**
 * Lets the userinfo endpoint (OpenID Connect Core §5.3) know the access tokens for the API, too: the one token that an
 * application got tells it who signed in, when it was asked for with `openid`. They are JWTs, which are not stored; whether
 * the grant, the account, the client and the proof of a key are still good is asked by the library, as of its own tokens.
 * Of the claims that are asked for one by one it knows those that were allowed.
 */
export function createJwtAccessTokenFinder(options: ApiTokensAtUserinfoOptions): FindJwtAccessToken {
  const { artifacts, sealer, clock } = options;
  const read = createJwtAccessTokenReader(options);

  return async (jwt) => {
    const token = read(jwt);
    if (token?.grant_id === undefined) return undefined;
    const found = await artifacts.find('Grant', token.grant_id, new Date(clock()));
    if (!found) return undefined;
    const { jti: grantId, openid } = openPayload<GrantPayload>(sealer, found);
    const { jti, iat, exp, openid_scope: scope, cnf } = token;
    return {
      kind: 'AccessToken',
      jti,
      iat,
      exp,
      accountId: token.sub,
      clientId: token.client_id,
      grantId,
      ...(scope !== undefined && { scope }),
      ...(cnf?.jkt !== undefined && { jkt: cnf.jkt }),
      claims: { userinfo: Object.fromEntries((openid?.claims ?? []).map((claim) => [claim, null])) },
    };
  };
}
