import type { Role } from '../../values/scopes.ts';

/** Provider at which users sign in, as configured by the operator. */
export interface IdentityProvider {
  /** Part of the provider's URLs; stored with each identity. */
  readonly id: string;
  readonly name: string;
  /** OpenID Connect, or OAuth 2.0 with the userinfo of GitHub. */
  readonly protocol: 'oidc' | 'github';
  /** Issuer identifier (OpenID Connect Core §1.2), compared character by character. */
  readonly issuer: string;
  readonly clientId: string;
  readonly authentication: ProviderAuthentication;
  readonly scopes: readonly string[];
  /** Algorithm of ID tokens; every other one is refused (OpenID Connect Core §3.1.3.7). */
  readonly idTokenAlgorithm: string;
  /** `form_post` if the provider requires it for the claims that it is asked for. */
  readonly responseMode: 'query' | 'form_post';
  /** Further parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Path of the logo on this server. */
  readonly logoPath: string | undefined;
  /** Only these domains of addresses may sign in; empty: all. */
  readonly allowedDomains: readonly string[];
  /** Users with an address of these domains are sent directly to the provider. */
  readonly homeDomains: readonly string[];
  /** Domains for which the provider's word about an address counts as proof that the user has the mailbox. */
  readonly trustedDomains: readonly string[];
  /** Whether addresses without `email_verified` are verified, because the provider assigns them itself. */
  readonly verifiesAddresses: boolean;
  /** Whether the provider's `amr` and `acr` count as this server's own. */
  readonly isAuthenticationTrusted: boolean;
  /** Values of the provider's `acr` that mean several factors, if its authentication is trusted. */
  readonly multiFactorAcrs: readonly string[];
  /** Whether the provider asks the user again on demand and states when it did (`max_age`, `auth_time`). */
  readonly canReauthenticate: boolean;
  /** Whether a user who signs out here can also sign out at the provider (OpenID Connect RP-Initiated Logout 1.0). */
  readonly isLogOutOffered: boolean;
  /** Whether unknown users get an account; `undefined`: if sign-up is open. */
  readonly isSignUpOpen: boolean | undefined;
  /** Claims of the provider by the members of the profile that they set in a new account. */
  readonly profileClaims: Readonly<Record<string, string>>;
  /** Roles by the values of a claim; `undefined` if the provider does not determine roles. */
  readonly roles: RoleClaim | undefined;
}

/** Client authentication at the token endpoint (OpenID Connect Core §9). */
export type ProviderAuthentication =
  | { readonly method: 'none' }
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | {
      readonly method: 'apple';
      readonly teamId: string;
      readonly keyId: string;
      readonly privateKey: string;
    };

/** Claim from which every sign-in sets the role of the account. */
export interface RoleClaim {
  /** Path of the claim: names of nested members. */
  readonly claim: readonly string[];
  readonly values: Readonly<Record<string, Role>>;
}

/** Returns the domain of a normalized address. */
export function toDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** Whether the provider's word about this address counts as proof that the user has the mailbox. */
export function isTrustedFor({ trustedDomains }: IdentityProvider, email: string): boolean {
  return trustedDomains.includes(toDomain(email));
}

/** Finds the provider to which users with this address or domain are sent. */
export function findHomeProvider(
  providers: readonly IdentityProvider[],
  emailOrDomain: string,
): IdentityProvider | undefined {
  const domain = toDomain(emailOrDomain.trim().toLowerCase());
  return providers.find(({ homeDomains }) => homeDomains.includes(domain));
}
