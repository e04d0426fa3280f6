import type { RateLimiter } from '@keydesk/rate-limit';
import { trustProxyHops } from '@keydesk/server';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import Provider, {
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type TokenEndpointGrantContext,
} from 'oidc-provider';
import { storeCredentialEpochs } from '../artifacts/credential-epochs.ts';
import { storeGrantSessions } from '../artifacts/grant-sessions.ts';
import { storeGrantStatuses } from '../artifacts/grant-status.ts';
import { storeSessionActivity } from '../artifacts/session-activity.ts';
import { saveBeforeRotation } from '../artifacts/session-rotation.ts';
import { storeUpstreamSessions } from '../artifacts/upstream-sessions.ts';
import { DEVICE_GRANT } from '../clients/client-types.ts';
import { type FindClientMetadata, findClientsByIdentity, scopesOf } from './clients/client-metadata.ts';
import { type ConfigurationOptions, createConfiguration } from './configuration.ts';
import { withPollLimit } from './grants/device-polls.ts';
import { withErrorDescriptions } from './grants/grant-errors.ts';
import { RefreshReplayed, type RefreshReplays, toRefreshRequest } from './grants/refresh-replays.ts';
import { createStepUpWithoutOpenId } from './grants/step-up-parameters.ts';
import { type AdaptResponseMode, limitResponseModes } from './responses/response-modes.ts';
import { routes } from './routes.ts';
import { withGrantedScope } from './tokens/granted-scope.ts';
import { reportRequestedAcr } from './tokens/requested-acr.ts';

export interface ProviderOptions extends ConfigurationOptions, ProviderAdaptations {
  trustedProxyHops: number;
  /** Finds the metadata of clients, as the adapter does. */
  findClient: FindClientMetadata;
  /** Creates the middleware that runs before oidc-provider's own routes. */
  createMiddleware(provider: Provider): readonly Middleware[];
  /** Listeners for events of oidc-provider. */
  events: readonly { attachTo(provider: Provider): void }[];
}

/** Creates an oidc-provider instance for one set of keys. */
export function createProvider(options: ProviderOptions): Provider {
  const stepUp = createStepUpWithoutOpenId();
  const configuration = stepUp.restoreAtResource(createConfiguration(options));
  const provider = createReplayingProvider(options.issuer, configuration, options);
  storeCredentialEpochs(provider);
  storeGrantSessions(provider);
  storeGrantStatuses(provider);
  storeSessionActivity(provider, options.now);
  storeUpstreamSessions(provider);
  saveBeforeRotation(provider);
  pinOrigin(provider, options.issuer);
  trustProxyHops(provider, options.trustedProxyHops);
  options.authentication.installOn(provider);
  findClientsByIdentity(provider, options.findClient);
  limitResponseModes(provider);
  reportDisallowedGrants(provider);
  normalizeResource(provider, options.apiAudience);
  keepOfflineAccess(provider);
  stepUp.installOn(provider);
  reportRequestedAcr(provider);
  for (const each of options.events) each.attachTo(provider);
  for (const middleware of options.createMiddleware(provider)) provider.use(middleware);
  return provider;
}

/**
 * Makes a grant type that the client may not use fail with `unauthorized_client` (RFC 6749 §5.2); oidc-provider reports
 * an invalid request.
 */
function reportDisallowedGrants({ Client: { prototype } }: Provider): void {
  const { grantTypeAllowed } = prototype;
  prototype.grantTypeAllowed = function assertGrantAllowed(this: Client, type) {
    const isAllowed = grantTypeAllowed.call(this, type);
    if (!isAllowed && type === requestedGrant())
      throw new errors.UnauthorizedClient('requested grant type is not allowed for this client');
    return isAllowed;
  };
}

/** Returns the grant type of the request; oidc-provider also checks others while it responds. */
function requestedGrant(): unknown {
  const ctx = Provider.ctx;
  return ctx?.path === routes.deviceAuthorization ? DEVICE_GRANT : ctx?.oidc.params?.grant_type;
}

const OFFLINE_ACCESS = 'offline_access';

/**
 * Keeps `offline_access` in authorization requests without `prompt=consent`, from which oidc-provider removes it.
 * OpenID Connect Core §11 allows other conditions: here the client is registered for it, and the consent page shows it
 * until the user grants it. oidc-provider checks the response type before the scope, and the redirect URI right after
 * it.
 */
function keepOfflineAccess({ Client: { prototype } }: Provider): void {
  const { responseTypeAllowed, redirectUriAllowed } = prototype;
  const asked = new WeakSet<KoaContextWithOIDC>();

  prototype.responseTypeAllowed = function rememberOfflineAccess(type) {
    const { ctx } = Provider;
    const isAllowed = scopesOf(this).includes(OFFLINE_ACCESS) && this.grantTypeAllowed('refresh_token');
    if (ctx?.oidc.requestParamScopes.has(OFFLINE_ACCESS) && isAllowed) asked.add(ctx);
    return responseTypeAllowed.call(this, type);
  };

  prototype.redirectUriAllowed = function restoreOfflineAccess(uri) {
    const { ctx } = Provider;
    if (ctx?.oidc.params && asked.has(ctx))
      ctx.oidc.params.scope = [...ctx.oidc.requestParamScopes.add(OFFLINE_ACCESS)].join(' ');
    return redirectUriAllowed.call(this, uri);
  };
}

/**
 * Makes an app build every URL from its issuer. oidc-provider derives the metadata and the accepted audiences of client
 * assertions from the request, so a caller could choose them by the `Host` header or an absolute request target.
 */
function pinOrigin(app: Koa, issuer: string): void {
  const { protocol, host, hostname, origin } = new URL(issuer);
  Object.defineProperties(app.request, {
    protocol: { value: protocol.slice(0, -1) },
    secure: { value: protocol === 'https:' },
    host: { value: host },
    hostname: { value: hostname },
    origin: { value: origin },
    href: {
      get(this: Koa.Request) {
        return origin + this.path + this.search;
      },
    },
  });
}

type ResourceParams = Record<string, unknown> & { resource?: unknown; request?: unknown };

/** Holds the parameters of a request. */
const assigned = Symbol('params');
interface ParamsHolder {
  params: ResourceParams | undefined;
  [assigned]?: ResourceParams;
}

/**
 * Accepts the `resource` of the API (RFC 8707 §2) with and without a trailing slash, which `URL` adds. Codes, grants
 * and refresh tokens contain only the configured form.
 */
function normalizeResource(provider: Provider, apiAudience: string): void {
  const bare = withoutSlash(apiAudience);
  const toResource = (value: unknown) =>
    typeof value === 'string' && withoutSlash(value) === bare ? apiAudience : value;
  const normalize = (value: unknown) => (Array.isArray(value) ? value.map(toResource) : toResource(value));

  // Parameters come from a query, a form, a signed request object or storage; all are assigned here.
  const { OIDCContext } = provider as unknown as { OIDCContext: { prototype: ParamsHolder } };
  Object.defineProperty(OIDCContext.prototype, 'params', {
    configurable: true,
    get(this: ParamsHolder) {
      return this[assigned];
    },
    set(this: ParamsHolder, params: ResourceParams) {
      if (params.resource !== undefined) params.resource = normalize(params.resource);
      if ('request' in params) normalizeAssignments(params, normalize);
      this[assigned] = params;
    },
  });
}

/**
 * Normalizes later values of `resource`, too: oidc-provider copies the members of a request object (RFC 9101 §6.3) to
 * the parameters. Token requests contain none and stay plain objects, which V8 reads faster.
 */
function normalizeAssignments(params: ResourceParams, normalize: (value: unknown) => unknown): void {
  let { resource } = params;
  Object.defineProperty(params, 'resource', {
    configurable: true,
    enumerable: true,
    get: () => resource,
    set: (value: unknown) => {
      resource = normalize(value);
    },
  });
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

type Handler<Params extends object> = (ctx: TokenEndpointGrantContext<Params>) => void | Promise<void>;
type Names = string | readonly string[] | ReadonlySet<string>;

/** Replacements for oidc-provider's own grants and response modes. */
interface ProviderAdaptations {
  replays: RefreshReplays;
  /** Limiter with one point per device code and polling interval. */
  devicePolls: Pick<RateLimiter, 'consume'>;
  adaptResponseMode: AdaptResponseMode;
}

/**
 * Creates an oidc-provider instance that replays refresh responses and slows devices down. The constructor registers
 * its own grants through the public method for custom grants, so overriding that method wraps them.
 */
function createReplayingProvider(
  issuer: string,
  configuration: Configuration,
  { replays, devicePolls, adaptResponseMode }: ProviderAdaptations,
): Provider {
  function adapt<Params extends object>(name: string, handle: Handler<Params>): Handler<Params> {
    const named: Handler<Params> = withGrantedScope(handle);
    if (name === 'refresh_token') return withReplays(named, replays);
    return name === DEVICE_GRANT ? withPollLimit(named, devicePolls) : named;
  }

  class ReplayingProvider extends Provider {
    override registerGrantType<Params extends object>(
      name: string,
      handle: Handler<Params>,
      params?: Names,
      duplicates?: Names,
    ): void {
      super.registerGrantType(name, withErrorDescriptions(adapt(name, handle)), params, duplicates);
    }

    override registerResponseMode(...[name, respond]: Parameters<Provider['registerResponseMode']>): void {
      const adapted = adaptResponseMode(name, respond);
      if (adapted) super.registerResponseMode(name, adapted);
    }
  }
  return new ReplayingProvider(issuer, configuration);
}

function withReplays<Params extends object>(
  handle: Handler<Params>,
  replays: RefreshReplays,
): Handler<Params> {
  return async function refresh(ctx) {
    const context: KoaContextWithOIDC = ctx;
    const request = await toRefreshRequest(context, String(context.oidc.params?.refresh_token));
    try {
      await handle(ctx);
      await replays.commit(context, request);
    } catch (err) {
      if (!(err instanceof RefreshReplayed)) throw err;
      ctx.body = err.body;
    }
  };
}
