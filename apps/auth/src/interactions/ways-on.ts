import { routes } from '../provider/offered-routes.ts';
import type { FindErrorActions } from './error-pages.ts';
import type { RecentApplications } from './recent-applications.ts';

export interface WaysOnOptions {
  recent: Pick<RecentApplications, 'find'>;
  /** Where people find their account. */
  accountPath: string;
}

/** The pages of an interaction, and those of the library that it leads back to. */
const interactionPath = /^\/(?:interaction|auth)\/([\w-]+)/;

/**
 * From a page that has expired back to its application, to the code of a device, or at least to the account; and from a
 * log-out that an application asks for in vain to one without it.
 */
export function createWaysOn({ recent, accountPath }: WaysOnOptions): FindErrorActions {
  return async (ctx, variant) => {
    const account = { to: 'account', href: accountPath } as const;
    if (variant === 'invalid_request' && ctx.path.startsWith(routes.endSession))
      return [{ to: 'sign_out', href: routes.endSession }, account];
    if (variant !== 'interaction_expired') return [];
    if (ctx.path.startsWith(`${routes.device}/`)) return [{ to: 'retry', href: routes.device }, account];
    const uid = interactionPath.exec(ctx.path)?.[1];
    const client = uid === undefined ? undefined : await recent.find(ctx, uid);
    if (!client?.homePage) return [account];
    return [{ to: 'application', href: client.homePage, application: client.name }, account];
  };
}
