import type { Context } from 'koa';
import type { Client } from '../clients/client.ts';
import type { ErrorAction, ErrorVariant } from '../pages/views/error.ts';
import { routes } from '../provider/offered-routes.ts';
import type { AskingApplication, FindErrorActions } from './error-pages.ts';
import type { RecentApplications } from './recent-applications.ts';

export interface WaysOnOptions {
  recent: Pick<RecentApplications, 'find'>;
  /** The issuer that applications are told of when they start a sign-in. */
  issuer: string;
  /** Where people find their account. */
  accountPath: string;
}

/** The pages of an interaction, and those of the library that it leads back to. */
const interactionPath = /^\/(?:interaction|auth)\/([\w-]+)/;

/** What only the maker of an application can put right. */
const faultsOfApplications: readonly ErrorVariant[] = [
  'redirect_uri_mismatch',
  'unknown_client',
  'invalid_request',
];

/**
 * From a page that leads nowhere back to its application, to the code of a device, or at least to the account; and from
 * a log-out that an application asks for in vain to one without it.
 */
export function createWaysOn({ recent, issuer, accountPath }: WaysOnOptions): FindErrorActions {
  const account = { to: 'account', href: accountPath } as const;

  async function findRecent(ctx: Context): Promise<Client | undefined> {
    const uid = interactionPath.exec(ctx.path)?.[1];
    return uid === undefined ? undefined : recent.find(ctx, uid);
  }

  return async (ctx, variant, application) => {
    const isFaultOfApplication = faultsOfApplications.includes(variant);
    if (isFaultOfApplication && ctx.path.startsWith(routes.endSession))
      return [{ to: 'sign_out', href: routes.endSession }, account];
    if (isFaultOfApplication) return [...backTo(application), account];
    if (variant !== 'interaction_expired') return [];
    if (ctx.path.startsWith(`${routes.device}/`)) return [{ to: 'retry', href: routes.device }, account];
    return [...startAgainAt(await findRecent(ctx), issuer), account];
  };
}

/** Where the application starts a sign-in (OpenID Connect Core §4), or else its home page. */
function startAgainAt(client: Client | undefined, issuer: string): ErrorAction[] {
  if (!client?.initiateLoginUri) return backTo(client);
  const url = new URL(client.initiateLoginUri);
  url.searchParams.set('iss', issuer);
  return [{ to: 'application', href: url.href, application: client.name }];
}

function backTo(application: AskingApplication | undefined): ErrorAction[] {
  const { name, homePage } = application ?? {};
  return name && homePage ? [{ to: 'application', href: homePage, application: name }] : [];
}
