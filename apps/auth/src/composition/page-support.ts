import type { Middleware } from 'koa';
import { type AuthConfig, isHttps } from '../config.ts';
import { toBrand } from '../pages/brand-settings.ts';
import { createPages, type Pages } from '../pages/pages.ts';
import { cookieName } from '../provider/cookies.ts';
import type { Storage } from '../storage/storage.ts';
import { paths } from '../web/account/paths.ts';
import {
  createRecentApplications,
  type RecentApplications,
  type RecentInteraction,
} from '../web/interaction/recent-applications.ts';
import { createErrorActions } from '../web/kit/error-actions.ts';
import { errorPages, type FindErrorActions } from '../web/kit/error-pages.ts';
import { createSignedCookie } from '../web/kit/signed-cookie.ts';

/** Dependencies of both oidc-provider's pages and our own. */
export interface PageSupport {
  pages: Pages;
  recent: RecentApplications;
  findErrorActions: FindErrorActions;
  /** Answers errors of oidc-provider's endpoints with a page. */
  showErrors: Middleware;
}

const ONE_DAY_MS = 86_400_000;

export function createPageSupport(deps: {
  config: AuthConfig;
  storage: Pick<Storage, 'clients'>;
}): PageSupport {
  const { config, storage } = deps;
  const name = cookieName('recent-applications', isHttps(config.issuer));
  const cookie = createSignedCookie<readonly RecentInteraction[]>(name, ONE_DAY_MS);
  const recent = createRecentApplications({ cookie, clients: storage.clients });
  const pages = createPages(toBrand(config));
  const findErrorActions = createErrorActions({
    recent,
    issuer: config.issuer,
    accountPath: paths.account,
  });
  return { recent, pages, findErrorActions, showErrors: errorPages(pages, findErrorActions) };
}
