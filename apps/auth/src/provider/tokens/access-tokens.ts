import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { toArtifactKey } from '../../artifacts/artifact-key.ts';
import { findStatusIndex } from '../../artifacts/grant-status.ts';
import type { FindMachineStatus } from '../../token-status/machine-statuses.ts';
import type { Role } from '../../values/scopes.ts';
import { accessTokenClaimsOf } from '../account-finder.ts';
import { roleOf } from '../clients/client-metadata.ts';
import { grantedOpenidScope } from './granted-scope.ts';
import { grantApiScopes, requestsApi } from './scope-policy.ts';

export interface ResourceIndicatorsOptions {
  /** Resource indicator (RFC 8707) of the API, also the audience of its tokens. */
  apiAudience: string;
}

/**
 * Issues JWTs (RFC 9068) for the API, which the userinfo endpoint accepts as well. If no API scope was requested, the
 * token is opaque and only for the userinfo endpoint.
 */
export function createResourceIndicators({ apiAudience }: ResourceIndicatorsOptions) {
  return {
    enabled: true,
    defaultResource(ctx: KoaContextWithOIDC): string | undefined {
      if (requestsApi(ctx)) return apiAudience;
      grantApiScopes(ctx);
      return undefined;
    },
    useGrantedResource: () => true,
    getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string) {
      if (resource !== apiAudience) throw new errors.InvalidTarget();
      return {
        scope: grantApiScopes(ctx).join(' '),
        audience: apiAudience,
        accessTokenFormat: 'jwt' as const,
        jwt: { sign: { alg: 'ES256' as const } },
      };
    },
  };
}

export interface TokenClaimsOptions {
  /** URI of the token status list. */
  statusListUri: string;
  /** Returns the status of a client's own tokens. */
  findMachineStatus: FindMachineStatus;
}

type ExtraClaims = Record<string, unknown> | undefined;

/**
 * Creates the claims added to those of every access token (RFC 9068 §2.2). A user acts in the role of the account. A
 * machine acts in the role of its client; without a role the API permits nothing.
 */
export function createTokenClaims({ statusListUri: uri, findMachineStatus }: TokenClaimsOptions) {
  /** Returns the claim that names the token's status (Token Status List §6.2). Opaque tokens need none. */
  function statusClaim({ format }: AccessToken | ClientCredentials, idx: number | undefined) {
    return format === 'jwt' && idx !== undefined && { status: { status_list: { idx, uri } } };
  }

  async function machineClaims(token: ClientCredentials): Promise<ExtraClaims> {
    const { client } = token;
    const role = client && roleOf(client);
    const index = await findMachineStatus(String(token.clientId));
    if (index === undefined) throw new errors.InvalidClient('client was removed', 'client was removed');
    return { ...(role && { role }), ...statusClaim(token, index) };
  }

  return async function extraTokenClaims(
    ctx: KoaContextWithOIDC,
    token: AccessToken | ClientCredentials,
  ): Promise<ExtraClaims> {
    if (token.kind === 'ClientCredentials') return machineClaims(token);
    const { account, entities } = ctx.oidc;
    return (
      account && {
        ...accessTokenClaimsOf(account),
        ...authenticationClaimsOf(ctx),
        ...ownClaims(ctx, token),
        ...statusClaim(token, entities.Grant && findStatusIndex(entities.Grant)),
      }
    );
  };
}

/**
 * Returns how and when the user was authenticated (RFC 9068 §2.2.1). A refreshed token has the claims of the original
 * sign-in, which oidc-provider keeps with the code and each refresh token.
 */
function authenticationClaimsOf({ oidc }: KoaContextWithOIDC): Record<string, unknown> {
  const { AuthorizationCode: code, DeviceCode: deviceCode, RefreshToken: refreshToken } = oidc.entities;
  const { acr, amr, authTime } = code ?? deviceCode ?? refreshToken ?? {};
  return {
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr }),
    ...(authTime !== undefined && { auth_time: authTime }),
  };
}

/** Returns claims that this server reads itself, because it does not store JWTs. */
function ownClaims(ctx: KoaContextWithOIDC, { format, grantId }: AccessToken) {
  if (format !== 'jwt' || !grantId) return undefined;
  // Separate from `scope`, which contains only scopes of the API (RFC 9068 §3).
  const openidScope = grantedOpenidScope(ctx);
  return {
    // The digest identifies the grant for introspection, without revealing its id.
    grant_id: toArtifactKey(grantId),
    ...(openidScope !== undefined && { openid_scope: openidScope }),
  };
}

export interface AccessTokenLifetimes {
  accessTokenTtlSeconds: number;
  /** Lifetime of tokens in the role of an agent or administrator. */
  staffAccessTokenTtlSeconds: number;
}

const staffRoles: readonly unknown[] = ['agent', 'admin'] satisfies Role[];

/** Returns the lifetime of an access token in seconds by its role (`ttl` of oidc-provider). */
export function createAccessTokenLifetime(lifetimes: AccessTokenLifetimes) {
  return ({ oidc }: KoaContextWithOIDC, token: AccessToken | ClientCredentials, client: Client): number => {
    const role = token.kind === 'ClientCredentials' ? roleOf(client) : roleOfAccount(oidc.account);
    return staffRoles.includes(role) ? lifetimes.staffAccessTokenTtlSeconds : lifetimes.accessTokenTtlSeconds;
  };
}

function roleOfAccount(account: KoaContextWithOIDC['oidc']['account']): Role | undefined {
  return account && accessTokenClaimsOf(account).role;
}
