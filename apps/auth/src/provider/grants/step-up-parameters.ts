import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { DEVICE_GRANT } from '../../clients/client-types.ts';
import { routes } from '../routes.ts';

/** Parameters with which a client asks for a stronger or more recent authentication (RFC 9470 §4). */
const parameters = ['acr_values', 'max_age'] as const;

type Stored = Partial<Record<(typeof parameters)[number], unknown>>;

/**
 * Accepts the step-up parameters in authorization requests without the scope `openid`, which oidc-provider rejects. The
 * challenge of an API may go to a plain OAuth client (RFC 9470 §4). The parameters are hidden while oidc-provider
 * checks the scope.
 */
export function createStepUpWithoutOpenId() {
  const hidden = new WeakMap<KoaContextWithOIDC, Stored>();

  function hide(ctx = Provider.ctx): void {
    const params = ctx?.oidc.params;
    if (!ctx || !params || hidden.has(ctx) || ctx.oidc.requestParamScopes.has('openid')) return;
    hidden.set(ctx, Object.fromEntries(parameters.map((name) => [name, params[name]])));
    for (const name of parameters) params[name] = undefined;
  }

  function restore(ctx = Provider.ctx): void {
    const stored = ctx && hidden.get(ctx);
    if (!stored) return;
    if (ctx.oidc.params) Object.assign(ctx.oidc.params, stored);
    hidden.delete(ctx);
  }

  /** Restores the parameters before a function of the configuration runs. */
  function restoringBefore<Args extends readonly [KoaContextWithOIDC, ...unknown[]], Result>(
    next: (...args: Args) => Result,
  ) {
    return (...args: Args): Result => {
      restore(args[0]);
      return next(...args);
    };
  }

  return {
    /** Hides before oidc-provider checks the scope, and restores at the redirect URI, which it checks right after. */
    installOn({ Client: { prototype } }: Provider): void {
      const { responseTypeAllowed, redirectUriAllowed, grantTypeAllowed } = prototype;
      prototype.responseTypeAllowed = function hideStepUpParameters(type) {
        hide();
        return responseTypeAllowed.call(this, type);
      };
      prototype.redirectUriAllowed = function restoreStepUpParameters(uri) {
        restore();
        return redirectUriAllowed.call(this, uri);
      };
      // A device authorization request has no response type.
      prototype.grantTypeAllowed = function hideDeviceStepUpParameters(type) {
        if (type === DEVICE_GRANT && isPlainDeviceRequest()) hide();
        return grantTypeAllowed.call(this, type);
      };
    },

    /** Restores at the resource of device authorization requests, which have no redirect URI. */
    restoreAtResource(configuration: Configuration): Configuration {
      const { resourceIndicators, ...features } = configuration.features ?? {};
      const { defaultResource, getResourceServerInfo } = resourceIndicators ?? {};
      const restoring = {
        ...resourceIndicators,
        ...(defaultResource && { defaultResource: restoringBefore(defaultResource) }),
        ...(getResourceServerInfo && { getResourceServerInfo: restoringBefore(getResourceServerInfo) }),
      };
      return { ...configuration, features: { ...features, resourceIndicators: restoring } };
    },
  };
}

/**
 * Whether this is a device authorization request without a request object, whose parameters would replace hidden ones
 * only later (RFC 9101 §6.3).
 */
function isPlainDeviceRequest(): boolean {
  const { ctx } = Provider;
  return ctx?.path === routes.deviceAuthorization && ctx.oidc.params?.request === undefined;
}
