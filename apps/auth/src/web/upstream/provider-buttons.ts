import { findHomeProvider, type IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import type { ProviderButton } from '../../pages/views/providers.ts';

/** Place to continue at after the sign-in at a provider. */
export interface SignInTarget {
  /** Local page, such as that of an interaction; default: the account page. */
  returnTo?: string | undefined;
  /** Whether the user must be asked again despite a session at the provider. */
  isAgain?: boolean | undefined;
  /** Address that the user has typed, or that the application expects. */
  loginHint?: string | undefined;
}

/** Links to the providers on sign-in pages. */
export interface ProviderButtons {
  list(target: SignInTarget): readonly ProviderButton[];
  /** Finds the provider to which a request is sent directly: by its id, or by a domain. */
  findByHint(hints: { provider?: unknown; domain?: unknown; login?: unknown }): IdentityProvider | undefined;
  /** Issuers of the providers to which the sign-in form redirects. */
  homeIssuers: readonly string[];
  pathTo(provider: Pick<IdentityProvider, 'id'>, target: SignInTarget): string;
}

export function createProviderButtons(providers: readonly IdentityProvider[]): ProviderButtons {
  const canServe = (provider: IdentityProvider, { isAgain }: SignInTarget) =>
    !isAgain || provider.canReauthenticate;

  return {
    list: (target) =>
      providers
        .filter((provider) => canServe(provider, target))
        .map((provider) => ({
          id: provider.id,
          name: provider.name,
          logo: provider.logoPath,
          href: signInPathOf(provider, target),
        })),
    findByHint({ provider: id, domain, login }) {
      const named = providers.find((each) => each.id === id);
      const byDomain = [domain, login].map((hint) =>
        typeof hint === 'string' ? findHomeProvider(providers, hint) : undefined,
      );
      return named ?? byDomain[0] ?? byDomain[1];
    },
    homeIssuers: providers.filter(({ homeDomains }) => homeDomains.length > 0).map(({ issuer }) => issuer),
    pathTo: signInPathOf,
  };
}

/** Paths of the pages on which users link identities. */
export const identityPaths = {
  list: '/account/identities',
  link: '/account/identities/link',
  confirm: '/account/identities/confirm',
} as const;

/** Returns the page that asks the user to confirm a link. */
export function confirmPathOf(linkId: string): string {
  return `${identityPaths.confirm}?${new URLSearchParams({ link: linkId })}`;
}

/** Prefix of the paths of all providers. */
export const upstreamPath = '/sign-in/with';

function signInPathOf({ id }: Pick<IdentityProvider, 'id'>, target: SignInTarget): string {
  const parameters = new URLSearchParams({
    ...(target.returnTo !== undefined && { return_to: target.returnTo }),
    ...(target.isAgain && { again: 'true' }),
    ...(target.loginHint !== undefined && { login_hint: target.loginHint }),
  });
  return `${upstreamPath}/${id}${parameters.size > 0 ? `?${parameters}` : ''}`;
}
