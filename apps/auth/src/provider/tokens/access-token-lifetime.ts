import type { AccessToken, Client, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import type { Role } from '../../scopes.ts';
import { accessTokenClaimsOf } from '../account-finder.ts';
import { roleOf } from '../clients/client-metadata.ts';

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
