import { joinMiddleware } from '@keydesk/server';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { listTrustedDevices } from '../accounts/factors/trusted-devices.ts';
import { type AuthConfig, isHttps } from '../config.ts';
import { toBrand } from '../pages/brand-settings.ts';
import { createPages, type Pages } from '../pages/pages.ts';
import { cookieName } from '../provider/cookies.ts';
import { createConnectedApplications } from '../provider/grants/connected-applications.ts';
import type { RememberedConsents } from '../provider/grants/remembered-consents.ts';
import type { Storage } from '../storage/storage.ts';
import { createAccountRoutes } from '../web/account/account-routes.ts';
import type { AccountPagesOptions } from '../web/account/profile/account-pages-options.ts';
import { applicationsPath } from '../web/developer/portal/paths.ts';
import { createPortalRoutes } from '../web/developer/portal-routes.ts';
import { createLogoRoutes } from '../web/interaction/application-logos.ts';
import {
  createInteractionRoutes,
  createInteractionSteps,
  type InteractionRoutesOptions,
} from '../web/interaction/interaction-routes.ts';
import { paths } from '../web/kit/account-paths.ts';
import { createSignedCookie } from '../web/kit/cookies/signed-cookie.ts';
import { createErrorActions } from '../web/kit/error-actions.ts';
import type { FindErrorActions } from '../web/kit/error-pages.ts';
import { type CredentialsForm, createCredentialsForm } from '../web/kit/forms/credentials-form.ts';
import { createPageParts, type PageParts } from '../web/kit/page-parts.ts';
import {
  createRecentApplications,
  type RecentApplications,
  type RecentInteraction,
} from '../web/kit/recent-applications.ts';
import { findLeavingUser, findSignedInUser, type SignedInOptions } from '../web/kit/signed-in.ts';
import { createFactorCookies, type FactorCookies } from '../web/second-factor/factor-browser.ts';
import { createPendingSignIns } from '../web/second-factor/pending-sign-ins.ts';
import { createSecondStep, type SecondStep } from '../web/second-factor/second-step.ts';
import { createSignInCompletion, type SignInCompletion } from '../web/second-factor/sign-in-completion.ts';
import { createIdentityRoutes } from '../web/upstream/identity-pages.ts';
import { createLogOutOffers, type LogOutOffers } from '../web/upstream/log-out-offers.ts';
import { createUpstreamLogOutRoutes } from '../web/upstream/log-out-routes.ts';
import { createProviderButtons, type ProviderButtons } from '../web/upstream/provider-buttons.ts';
import { createUpstreamRoutes } from '../web/upstream/upstream-routes.ts';
import type { AccountServices } from './accounts.ts';
import { createPortal } from './portal.ts';
import type { SharedDeps } from './shared-deps.ts';
import { createResultReader, createUpstream, createUpstreamPages } from './upstream.ts';

/** Dependencies of both oidc-provider's pages and our own. */
export interface PageSupport {
  pages: Pages;
  recent: RecentApplications;
  findErrorActions: FindErrorActions;
  factorCookies: FactorCookies;
  logOutOffers: LogOutOffers;
}

const ONE_DAY_MS = 86_400_000;
const ONE_MINUTE_MS = 60_000;

export function createPageSupport(config: AuthConfig, storage: Pick<Storage, 'clients'>): PageSupport {
  const name = cookieName('recent-applications', isHttps(config.issuer));
  const cookie = createSignedCookie<readonly RecentInteraction[]>(name, ONE_DAY_MS);
  const brand = toBrand(config);
  const recent = createRecentApplications({ cookie, clients: storage.clients });
  return {
    recent,
    logOutOffers: createLogOutOffers({
      cookie: createSignedCookie(cookieName('log-out-offer', isHttps(config.issuer)), ONE_MINUTE_MS),
      providers: config.identityProviders,
    }),
    factorCookies: createFactorCookies({ isHttps: isHttps(config.issuer) }),
    pages: createPages({
      ...brand,
      logos: [...brand.logos, ...(config.identityProviderFile?.logos.values() ?? [])],
    }),
    findErrorActions: createErrorActions({ recent, issuer: config.issuer, accountPath: paths.account }),
  };
}

export interface WebParts {
  accounts: AccountServices;
  consents: RememberedConsents;
  support: PageSupport;
}

/** Keydesk's own pages. */
export interface WebArea {
  serveLogos: Middleware;
  redirectHome: Middleware;
  showErrorsToBrowsers: Middleware;
  /** Creates the pages that need sessions of an oidc-provider instance. */
  createPages(provider: Provider): WebPages;
}

export interface WebPages {
  upstreamPages: Middleware;
  interactionPages: Middleware;
  accountPages: Middleware;
  /** `undefined` if users may not register applications. */
  developerPages: Middleware | undefined;
}

export function createWebArea(shared: SharedDeps, parts: WebParts): WebArea {
  const { config, storage, now, derived } = shared;
  const isPortalOpen = config.maxApplicationsPerAccount > 0;
  const pageParts = createPageParts({
    issuer: config.issuer,
    accounts: storage.accounts,
    assessSession: createSessionAssessment(parts),
    artifacts: storage.artifacts,
    pages: parts.support.pages,
    formKey: derived.forms,
    applicationsPath: isPortalOpen ? applicationsPath : undefined,
    now,
  });
  const credentials = createCredentials(shared, parts);
  const secondStep = createSteps(shared, parts);
  const upstream = createUpstream(shared);
  const providerButtons = createProviderButtons(config.identityProviders);
  const completion = createSignInCompletion({
    parts: pageParts,
    accounts: parts.accounts.accounts,
    secondStep,
  });
  const pageDeps = { pageParts, credentials, secondStep, completion, upstream, providerButtons };
  const interaction = createInteraction(shared, parts, pageDeps);
  const account = createAccountPages(shared, parts, pageDeps);
  const upstreamPages = createUpstreamPages(shared, parts.accounts, pageDeps);
  const portal = createPortal(shared, { parts: pageParts, accounts: parts.accounts });
  return {
    serveLogos: createLogoRoutes(storage.clients),
    redirectHome,
    showErrorsToBrowsers: forBrowsers(pageParts.errorPages),
    createPages: (provider) => ({
      upstreamPages: joinMiddleware([
        createUpstreamRoutes(provider, upstreamPages),
        createUpstreamLogOutRoutes(upstreamPages),
        createIdentityRoutes(provider, upstreamPages),
      ]),
      interactionPages: createInteractionRoutes(provider, interaction),
      accountPages: createAccountRoutes(provider, account),
      developerPages: isPortalOpen ? createPortalRoutes(provider, portal) : undefined,
    }),
  };

  function redirectHome(ctx: Context, next: () => Promise<unknown>) {
    return ctx.path === '/' && isBrowser(ctx) ? pageParts.redirect(ctx, paths.account) : next();
  }
}

/** oidc-provider takes the time of a session from the machine's clock and compares it with this time. */
const nowSeconds = () => Math.floor(Date.now() / 1000);

function createSessionAssessment({ accounts, support }: WebParts): SignedInOptions['assessSession'] {
  const { secondFactors } = accounts.accounts;
  return (ctx, owner, methods) =>
    secondFactors.assessSession(owner, methods, support.factorCookies.read(ctx));
}

function createSteps({ config, storage, now, derived }: SharedDeps, parts: WebParts): SecondStep {
  return createSecondStep({
    accounts: parts.accounts.accounts,
    cookies: parts.support.factorCookies,
    pending: createPendingSignIns({
      sealer: derived.pendingSignIns,
      cookie: cookieName('pending-sign-in', isHttps(config.issuer)),
      accounts: storage.accounts,
      artifacts: storage.artifacts,
      now,
    }),
    pages: parts.support.pages,
    nowSeconds,
  });
}

/** Parts of the pages that other parts use. */
interface PageDeps {
  pageParts: PageParts;
  credentials: CredentialsForm;
  secondStep: SecondStep;
  completion: SignInCompletion;
  upstream: ReturnType<typeof createUpstream>;
  providerButtons: ProviderButtons;
}

function createCredentials({ config }: SharedDeps, { accounts }: WebParts): CredentialsForm {
  return createCredentialsForm({
    accounts: accounts.accounts,
    nowSeconds,
    deviceCookie: cookieName('device', isHttps(config.issuer)),
  });
}

function createInteraction(
  { storage, now, derived, audit }: SharedDeps,
  { accounts, consents, support }: WebParts,
  { pageParts, credentials, secondStep, completion, upstream, providerButtons }: PageDeps,
): InteractionRoutesOptions {
  return createInteractionSteps({
    accounts: storage.accounts,
    formKey: derived.forms,
    credentials,
    signIns: accounts.accounts,
    secondStep,
    findSignedIn: (provider, ctx) => findSignedInUser(provider, ctx, pageParts),
    isLeaving: async (provider, ctx) => (await findLeavingUser(provider, ctx, pageParts)) !== undefined,
    pages: support.pages,
    isSignUpOpen: accounts.accounts.isSignUpOpen,
    takeNotice: pageParts.flash.take,
    noteExpiry: completion.noteExpiry,
    recent: support.recent,
    providerButtons,
    takeUpstreamResult: createResultReader({ storage, now }, upstream),
    findErrorActions: support.findErrorActions,
    consents,
    audit,
    now,
  });
}

function createAccountPages(
  { config, storage, now, derived, audit }: SharedDeps,
  { accounts, consents, support }: WebParts,
  { pageParts, credentials, secondStep, completion, providerButtons }: PageDeps,
): AccountPagesOptions {
  return {
    parts: pageParts,
    accounts: accounts.accounts,
    sessions: accounts.sessions,
    async findTrustedDevices(account) {
      const stored = await storage.factors.find(account.id);
      return stored ? listTrustedDevices(stored, account, now()) : [];
    },
    credentials,
    secondStep,
    completion,
    clients: storage.clients,
    connections: createConnectedApplications({
      artifacts: storage.artifacts,
      consents,
      records: storage.audit,
      audit,
      sealer: derived.artifacts,
      now,
    }),
    recent: support.recent,
    now,
    providerButtons,
    settings: config,
  };
}

/** Runs a middleware only for requests that prefer a page. */
function forBrowsers(middleware: Middleware): Middleware {
  return (ctx, next) => (isBrowser(ctx) ? middleware(ctx, next) : next());
}

function isBrowser(ctx: Context): boolean {
  return ctx.method === 'GET' && ctx.accepts('json', 'html') === 'html';
}
