import type { RedisConnection } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Audit } from '../audit/audit.ts';
import { type AuthConfig, isHttps } from '../config.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { Pages } from '../pages/pages.ts';
import { cookieName } from '../provider/cookies.ts';
import { createConnectedApplications } from '../provider/grants/connected-applications.ts';
import type { RememberedConsents } from '../provider/grants/remembered-consents.ts';
import { exceptOnPaths } from '../provider/on-path.ts';
import { programPaths } from '../provider/routes.ts';
import type { Storage } from '../storage/storage.ts';
import { createAccountRoutes } from '../web/account/account-routes.ts';
import { paths } from '../web/account/paths.ts';
import { applicationsPath } from '../web/developer/paths.ts';
import { createPortalRoutes } from '../web/developer/portal-routes.ts';
import { createLogoRoutes } from '../web/interaction/application-logos.ts';
import { type CredentialsForm, createCredentialsForm } from '../web/interaction/credentials-form.ts';
import { createInteractionRoutes } from '../web/interaction/interaction-routes.ts';
import { createInteractionSteps } from '../web/interaction/interaction-steps.ts';
import type { RecentApplications } from '../web/interaction/recent-applications.ts';
import type { FindErrorActions } from '../web/kit/error-pages.ts';
import { createPageParts, type PageParts } from '../web/kit/page-parts.ts';
import { findSignedInUser } from '../web/kit/signed-in.ts';
import type { AccountServices } from './account-services.ts';
import { assemblePortal } from './assemble-portal.ts';

export interface PageRoutesOptions {
  config: AuthConfig;
  storage: Storage;
  accountServices: Omit<AccountServices, 'stop'>;
  redis?: RedisConnection | undefined;
  pages: Pages;
  derived: Pick<DerivedKeys, 'forms' | 'artifacts' | 'clientSecrets'>;
  consents: Pick<RememberedConsents, 'remember' | 'list' | 'remove'>;
  audit: Pick<Audit, 'record'>;
  recent: RecentApplications;
  findErrorActions: FindErrorActions;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Prepares the routes of our own pages; the returned function creates them for a provider. */
export function createPageRoutes(options: PageRoutesOptions): (provider: Provider) => readonly Middleware[] {
  const { config, storage, pages, derived } = options;
  const { accounts } = options.accountServices;
  const isPortalOpen = config.maxApplicationsPerAccount > 0;
  const credentials = createCredentials(options);
  const { recent } = options;
  const parts = createPageParts({
    ...storage,
    issuer: config.issuer,
    pages,
    clock: options.clock,
    formKey: derived.forms,
    applicationsPath: isPortalOpen ? applicationsPath : undefined,
  });
  const steps = createInteractionSteps({
    ...options,
    storage,
    credentials,
    findSignedIn: (provider, ctx) => findSignedInUser(provider, ctx, { accounts: storage.accounts }),
    pages,
    derived,
    isSignUpOpen: accounts.isSignUpOpen,
    takeNotice: parts.flash.take,
    recent,
  });
  const portal = assemblePortal({ ...options, parts });

  const connections = createConnectedApplications({
    ...options,
    artifacts: storage.artifacts,
    records: storage.audit,
    sealer: derived.artifacts,
  });
  const { clients } = storage;
  const { sessions } = options.accountServices;
  const accountPages = {
    parts,
    accounts,
    sessions,
    credentials,
    clients,
    connections,
    recent,
    settings: config,
  };

  return (provider) => {
    const pageRouters = [
      createLogoRoutes(clients),
      createInteractionRoutes(provider, steps),
      createAccountRoutes(provider, accountPages),
      ...(isPortalOpen ? [createPortalRoutes(provider, portal)] : []),
    ];
    return [
      ...pageRouters.map((router) => exceptOnPaths(programPaths, router)),
      createBrowserFallback(parts),
    ];
  };
}

function createCredentials({ config, accountServices }: PageRoutesOptions): CredentialsForm {
  return createCredentialsForm({
    accounts: accountServices.accounts,
    // oidc-provider takes the time of a session from the machine's clock and compares it with this time.
    nowSeconds: () => Math.floor(Date.now() / 1000),
    deviceCookie: cookieName('device', isHttps(config.issuer)),
  });
}

/** Redirects browsers from `/` to the account page, and answers unknown paths with an error page. */
function createBrowserFallback({ errorPages, redirect }: PageParts): Middleware {
  return function browserFallback(ctx, next) {
    const isBrowser = ctx.method === 'GET' && ctx.accepts('json', 'html') === 'html';
    if (!isBrowser) return next();
    return ctx.path === '/' ? redirect(ctx, paths.account) : errorPages(ctx, next);
  };
}
