import type { RedisConnection } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { createAccountRoutes } from './account-pages/account-routes.ts';
import { createPageParts, type PageParts } from './account-pages/page-parts.ts';
import { paths } from './account-pages/paths.ts';
import { findSignedInUser } from './account-pages/signed-in.ts';
import type { AccountServices } from './account-services.ts';
import type { Audit } from './audit/audit.ts';
import { type AuthConfig, isHttps } from './config.ts';
import { createLogoRoutes } from './interactions/application-logos.ts';
import { type CredentialsForm, createCredentialsForm } from './interactions/credentials-form.ts';
import type { FindErrorActions } from './interactions/error-pages.ts';
import { createInteractionRoutes } from './interactions/interaction-routes.ts';
import { createInteractionSteps } from './interactions/interaction-steps.ts';
import type { RecentApplications } from './interactions/recent-applications.ts';
import type { DerivedKeys } from './keys/derived-keys.ts';
import type { Pages } from './pages/pages.ts';
import { assemblePortal } from './portal/assemble-portal.ts';
import { applicationsPath } from './portal/paths.ts';
import { createPortalRoutes } from './portal/portal-routes.ts';
import { createConnectedApplications } from './provider/connected-applications.ts';
import { cookieName } from './provider/cookies.ts';
import { programPaths } from './provider/offered-routes.ts';
import { exceptOnPaths } from './provider/on-path.ts';
import type { RememberedConsents } from './provider/remembered-consents.ts';
import type { Storage } from './storage/storage.ts';

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
