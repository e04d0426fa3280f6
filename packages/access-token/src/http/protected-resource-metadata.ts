import { AppError } from '@keydesk/errors';
import type { Context, Middleware } from 'koa';

/** Metadata of a protected resource (RFC 9728 §2). */
export interface ProtectedResourceOptions {
  /** The resource identifier: an http(s) URL without fragment, the `audience` of the tokens. */
  resource: string;
  /** Issuer identifiers of the authorization servers that issue tokens for it. */
  authorizationServers: readonly string[];
  scopes: readonly string[];
  /** Algorithms of DPoP proofs (RFC 9449), if key-bound tokens are accepted as well as bearer tokens. */
  proofAlgorithms?: readonly string[] | undefined;
  /** Display name. */
  name?: string;
  /** URL of a page for developers. */
  documentationUrl?: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const MAX_AGE_SECONDS = 300;

/**
 * Returns the metadata URL of a resource: the well-known path between host and path (RFC 9728 §3.1).
 *
 * @throws {TypeError} when the identifier is not an http(s) URL or has a fragment
 */
export function protectedResourceMetadataUrl(resource: string): string {
  const { protocol, origin, pathname, search, hash } = new URL(resource);
  if (!/^https?:$/.test(protocol) || hash !== '')
    throw new TypeError(`${resource} is not a resource identifier; use an http(s) URL without a fragment.`);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`;
}

/** Serves the metadata from which clients learn where to request tokens (RFC 9728 §2). */
export function protectedResourceMetadata(options: ProtectedResourceOptions): Middleware {
  const path = new URL(protectedResourceMetadataUrl(options.resource)).pathname;
  const metadata = {
    resource: options.resource,
    authorization_servers: options.authorizationServers,
    scopes_supported: options.scopes,
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: options.proofAlgorithms,
    dpop_bound_access_tokens_required: options.proofAlgorithms && false,
    resource_name: options.name,
    resource_documentation: options.documentationUrl,
  };
  function serve(ctx: Context): void {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new AppError('method_not_allowed', 'The metadata is read-only; use GET or HEAD.', {
        headers: { Allow: 'GET, HEAD' },
      });
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    ctx.body = metadata;
  }

  return (ctx, next) => (ctx.path === path ? serve(ctx) : next());
}
