import type { Middleware } from 'koa';
import type { Asset } from '../pages/asset.ts';

/** Serves the files that pages refer to; their names are made of their content, so browsers keep them for ever. */
export function pageAssets(assets: readonly Asset[]): Middleware {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  return async function serveAsset(ctx, next) {
    const asset = byPath.get(ctx.path);
    if (!asset || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.type = asset.contentType;
    ctx.body = asset.content;
  };
}
