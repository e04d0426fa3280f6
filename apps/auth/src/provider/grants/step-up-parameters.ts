import Provider, { type KoaContextWithOIDC } from 'oidc-provider';

/** Parameters with which a client asks for a stronger or more recent authentication (RFC 9470 §4). */
const parameters = ['acr_values', 'max_age'] as const;

type Stored = Partial<Record<(typeof parameters)[number], unknown>>;

/**
 * Accepts the step-up parameters in authorization requests without the scope `openid`, which oidc-provider rejects. The
 * challenge of an API may go to a plain OAuth client (RFC 9470 §4). oidc-provider checks the response type before the
 * scope, and the redirect URI right after it.
 */
export function allowStepUpWithoutOpenId({ Client: { prototype } }: Provider): void {
  const { responseTypeAllowed, redirectUriAllowed } = prototype;
  const hidden = new WeakMap<KoaContextWithOIDC, Stored>();

  prototype.responseTypeAllowed = function hideStepUpParameters(type) {
    const { ctx } = Provider;
    const params = ctx?.oidc.params;
    if (ctx && params && !ctx.oidc.requestParamScopes.has('openid')) {
      hidden.set(ctx, Object.fromEntries(parameters.map((name) => [name, params[name]])));
      for (const name of parameters) params[name] = undefined;
    }
    return responseTypeAllowed.call(this, type);
  };

  prototype.redirectUriAllowed = function restoreStepUpParameters(uri) {
    const { ctx } = Provider;
    const stored = ctx && hidden.get(ctx);
    if (stored && ctx.oidc.params) Object.assign(ctx.oidc.params, stored);
    if (stored) hidden.delete(ctx);
    return redirectUriAllowed.call(this, uri);
  };
}
