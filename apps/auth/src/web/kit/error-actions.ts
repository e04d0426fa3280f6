import type { Context } from 'koa';
import type { Client } from '../../clients/client.ts';
import type { ErrorAction, ErrorVariant } from '../../pages/views/error.ts';
import { routes } from '../../provider/routes.ts';
import type { FindErrorActions, RequestingApplication } from './error-pages.ts';
import type { RecentApplications } from './recent-applications.ts';

export interface ErrorActionsOptions {
  recent: Pick<RecentApplications, 'find'>;
  /** Issuer that is sent to applications when they initiate a login. */
  issuer: string;
  /** Path of the account page. */
  accountPath: string;
}

/** Paths of an interaction's pages, and of oidc-provider's endpoints that resume it. */
const interactionPath = /^\/(?:interaction|auth)\/([\w-]+)/;

/** Errors that only the developer of an application can fix. */
const applicationErrors: readonly ErrorVariant[] = [
  'redirect_uri_mismatch',
  'unknown_client',
  'invalid_request',
];

/**
 * Finds the links of an error page: to the application, to the entry of a device's code, and to the account. A failed
 * log-out request of an application offers log-out without the application.
 */
export function createErrorActions({ recent, issuer, accountPath }: ErrorActionsOptions): FindErrorActions {
  const account = { to: 'account', href: accountPath } as const;

  async function findRecent(ctx: Context): Promise<Client | undefined> {
    const uid = interactionPath.exec(ctx.path)?.[1];
    return uid === undefined ? undefined : recent.find(ctx, uid);
  }

  return async (ctx, variant, application) => {
    const isApplicationError = applicationErrors.includes(variant);
    if (isApplicationError && ctx.path.startsWith(routes.endSession))
      return [{ to: 'sign_out', href: routes.endSession }, account];
    if (isApplicationError) return [...linkToHomePage(application), account];
    if (variant === 'sign_in_too_weak') return [account];
    if (variant !== 'interaction_expired') return [];
    if (ctx.path.startsWith(`${routes.device}/`)) return [{ to: 'retry', href: routes.device }, account];
    return [...linkToSignIn(await findRecent(ctx), issuer), account];
  };
}

/** Links to the application's login initiation (OpenID Connect Core §4), or to its home page. */
function linkToSignIn(client: Client | undefined, issuer: string): ErrorAction[] {
  if (!client?.initiateLoginUri) return linkToHomePage(client);
  const url = new URL(client.initiateLoginUri);
  url.searchParams.set('iss', issuer);
  return [{ to: 'application', href: url.href, application: client.name }];
}

function linkToHomePage(application: RequestingApplication | undefined): ErrorAction[] {
  const { name, homePage } = application ?? {};
  return name && homePage ? [{ to: 'application', href: homePage, application: name }] : [];
}
