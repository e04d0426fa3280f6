import type { Context } from 'koa';
import type { ErrorAction, ErrorVariant } from '../pages/views/error.ts';
import { routes } from '../provider/offered-routes.ts';
import type { AskingApplication, FindErrorActions } from './error-pages.ts';
import type { RecentApplications } from './recent-applications.ts';

export interface WaysOnOptions {
  recent: Pick<RecentApplications, 'find'>;
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
export function createWaysOn({ recent, accountPath }: WaysOnOptions): FindErrorActions {
  const account = { to: 'account', href: accountPath } as const;

  async function findRecent(ctx: Context): Promise<AskingApplication | undefined> {
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
    return [...backTo(await findRecent(ctx)), account];
  };
}

function backTo(application: AskingApplication | undefined): ErrorAction[] {
  const { name, homePage } = application ?? {};
  return name && homePage ? [{ to: 'application', href: homePage, application: name }] : [];
}
