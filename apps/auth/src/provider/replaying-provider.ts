import Provider, {
  type Configuration,
  type KoaContextWithOIDC,
  type TokenEndpointGrantContext,
} from 'oidc-provider';
import { RefreshReplayed, type RefreshReplays, toRefreshRequest } from './refresh-replays.ts';

type Handler<Params extends object> = (ctx: TokenEndpointGrantContext<Params>) => void | Promise<void>;
type Names = string | readonly string[] | ReadonlySet<string>;

/**
 * The library's provider, whose refresh tokens get the same answer again within a window. The library registers its
 * own grants by the public method that others are registered by, while it is built; so that is where to come between.
 */
export function createReplayingProvider(
  issuer: string,
  configuration: Configuration,
  replays: RefreshReplays,
): Provider {
  class ReplayingProvider extends Provider {
    override registerGrantType<Params extends object>(
      name: string,
      handle: Handler<Params>,
      params?: Names,
      duplicates?: Names,
    ): void {
      const handler = name === 'refresh_token' ? replaying(handle, replays) : handle;
      super.registerGrantType(name, handler, params, duplicates);
    }
  }
  return new ReplayingProvider(issuer, configuration);
}

function replaying<Params extends object>(handle: Handler<Params>, replays: RefreshReplays): Handler<Params> {
  return async function refresh(ctx) {
    const context: KoaContextWithOIDC = ctx;
    const request = toRefreshRequest(context, String(context.oidc.params?.refresh_token));
    try {
      await handle(ctx);
      await replays.keep(context, request);
    } catch (err) {
      if (!(err instanceof RefreshReplayed)) throw err;
      ctx.body = err.body;
    }
  };
}
