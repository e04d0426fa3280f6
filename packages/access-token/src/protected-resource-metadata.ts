import { AppError } from '@keydesk/errors';
import type { Context, Middleware } from 'koa';

/** What a resource server tells of itself (RFC 9728 §2). */
export interface ProtectedResourceOptions {
  /** The resource identifier: an http(s) URL without fragment, the `audience` of the tokens. */
  resource: string;
  /** Issuer identifiers of the authorization servers that issue tokens for it. */
  authorizationServers: readonly string[];
  scopes: readonly string[];
  /** Algorithms of DPoP proofs (RFC 9449), where tokens that are bound to a key are accepted beside bearer tokens. */
  proofAlgorithms?: readonly string[] | undefined;
  /** A name to show to people. */
  name?: string;
  /** A page for developers. */
  documentationUrl?: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const MAX_AGE_SECONDS = 300;

/**
 * Where the metadata of a resource lie: the well-known path goes between host and path (RFC 9728 §3.1).
 *
 * @throws {TypeError} when the identifier is no http(s) URL, or has a fragment
 */
export function protectedResourceMetadataUrl(resource: string): string {
  const { protocol, origin, pathname, search, hash } = new URL(resource);
  if (!/^https?:$/.test(protocol) || hash !== '')
    throw new TypeError(`${resource} cannot identify a resource.`);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`;
}

/** Serves the metadata by which clients find out how to get a token for this resource (RFC 9728 §2). */
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
      throw new AppError('method_not_allowed', 'The metadata can only be read.', {
        headers: { Allow: 'GET, HEAD' },
      });
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    ctx.body = metadata;
  }

  return (ctx, next) => (ctx.path === path ? serve(ctx) : next());
}
