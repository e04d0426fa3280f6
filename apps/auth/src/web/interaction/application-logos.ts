import { AppError } from '@keydesk/server';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ClientStore } from '../../clients/client-store.ts';
import { toLogoPath } from '../../clients/logo/client-logo.ts';

/**
 * Serves the logos of applications to our own pages. A logo is an untrusted file: it is sent with the type that the
 * server detected, and cannot run scripts if a browser opens it directly.
 */
export function createLogoRoutes(clients: Pick<ClientStore, 'find' | 'findLogo'>): Middleware {
  const router = new Router();

  router.get('/application-logos/:clientId/:digest', async function serveLogo(ctx: Context) {
    const client = await clients.find(String(ctx.params.clientId));
    if (!client || toLogoPath(client) !== ctx.path) throw noLogo();
    ctx.set({
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Disposition': 'inline',
      // The URL contains the digest of the content.
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    ctx.status = 200;
    ctx.etag = String(client.logoDigest);
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    const logo = await clients.findLogo(client.id);
    if (logo?.digest !== client.logoDigest) throw noLogo();
    ctx.type = logo.mediaType;
    ctx.body = logo.bytes;
  });
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}

function noLogo(): AppError {
  return new AppError('not_found', 'No active application has this logo.');
}
