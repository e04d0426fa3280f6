import type { Context, Middleware } from 'koa';
import type { Asset } from '../../pages/asset.ts';

/** Serves the files of pages. Browsers cache them permanently, because their names contain a digest. */
export function pageAssets(assets: readonly Asset[]): Middleware {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  return function serveAsset(ctx, next) {
    const asset = ctx.method === 'GET' || ctx.method === 'HEAD' ? byPath.get(ctx.path) : undefined;
    return asset ? serve(ctx, asset) : next();
  };
}

function serve(ctx: Context, { contentType, content }: Asset): void {
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.type = contentType;
  ctx.body = content;
}
