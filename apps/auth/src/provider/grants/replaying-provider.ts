import type { RateLimiter } from '@keydesk/rate-limit';
import Provider, {
  type Configuration,
  type KoaContextWithOIDC,
  type TokenEndpointGrantContext,
} from 'oidc-provider';
import { DEVICE_GRANT } from '../../clients/device-grant.ts';
import type { AdaptResponseMode } from '../responses/response-modes.ts';
import { withGrantedScope } from '../tokens/granted-scope.ts';
import { withPollLimit } from './device-polls.ts';
import { withErrorDescriptions } from './grant-errors.ts';
import { RefreshReplayed, type RefreshReplays, toRefreshRequest } from './refresh-replays.ts';

type Handler<Params extends object> = (ctx: TokenEndpointGrantContext<Params>) => void | Promise<void>;
type Names = string | readonly string[] | ReadonlySet<string>;

/** Replacements for oidc-provider's own grants and response modes. */
export interface ProviderAdaptations {
  replays: RefreshReplays;
  /** Limiter with one point per device code and polling interval. */
  devicePolls: Pick<RateLimiter, 'consume'>;
  adaptResponseMode: AdaptResponseMode;
}

/**
 * Creates an oidc-provider instance that replays refresh responses and slows devices down. The constructor registers
 * its own grants through the public method for custom grants, so overriding that method wraps them.
 */
export function createReplayingProvider(
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
