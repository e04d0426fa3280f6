import type Provider from 'oidc-provider';

type Params = Record<string, unknown> & { resource?: unknown };
interface Context {
  params: Params;
}

/**
 * Accepts the `resource` of the API (RFC 8707 §2) with and without a trailing slash, which `URL` adds. Codes, grants
 * and refresh tokens contain only the configured form.
 */
export function normalizeResource(provider: Provider, apiAudience: string): void {
  const bare = withoutSlash(apiAudience);
  const toResource = (value: unknown) =>
    typeof value === 'string' && withoutSlash(value) === bare ? apiAudience : value;
  const normalize = (value: unknown) => (Array.isArray(value) ? value.map(toResource) : toResource(value));
  const assigned = new WeakMap<Context, Params>();

  // Parameters come from a query, a form, a signed request object or storage; all are assigned here.
  const { OIDCContext } = provider as unknown as { OIDCContext: { prototype: Context } };
  Object.defineProperty(OIDCContext.prototype, 'params', {
    configurable: true,
    get(this: Context) {
      return assigned.get(this);
    },
    set(this: Context, params: Params) {
      let resource = normalize(params.resource);
      Object.defineProperty(params, 'resource', {
        configurable: true,
        enumerable: true,
        get: () => resource,
        set: (value: unknown) => {
          resource = normalize(value);
        },
      });
      assigned.set(this, params);
    },
  });
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
