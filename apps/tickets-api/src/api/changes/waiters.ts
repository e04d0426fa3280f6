import type { AccessToken, TokenStatusList } from '@keydesk/access-token';
import { AppError, type Metrics } from '@keydesk/server';
import type { ParameterizedContext } from 'koa';

export interface WaitersDeps {
  now: () => Date;
  /** Status of rejections. */
  status: number;
  /** Maximum number of waiting requests of one client and subject. */
  perCaller?: number | undefined;
  /** Statuses of access tokens; `undefined`: a wait ends when its token expires. */
  statusList?: Pick<TokenStatusList, 'watch'> | undefined;
  metrics?: Pick<Metrics, 'gauge'> | undefined;
}

/** Reason why a wait ended. */
export type WaitResult = 'timeout' | 'token_expired' | 'token_revoked' | 'shutting_down' | 'disconnected';

/** Requests that wait for changes; limited per caller, and by the lifetime of their tokens. */
export interface Waiters {
  /**
   * Registers a waiting request. Its signal is aborted with a `WaitResult` as the reason when the wait has to end.
   *
   * @throws {AppError} `too_many_requests` when too many requests of the caller are waiting
   */
  admit(ctx: ParameterizedContext, limitMs?: number): AbortSignal;
  /** Ends all waits; later ones end at once. */
  drain(): void;
}

const PER_CALLER = 20;
const RETRY_AFTER_SECONDS = 5;
/** Longer timers fire at once (Node limits them to 32 bits). */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createWaiters(deps: WaitersDeps): Waiters {
  const { now, status, perCaller = PER_CALLER, statusList, metrics } = deps;
  const byCaller = new Map<string, Set<AbortController>>();
  let isDraining = false;
  metrics?.gauge('api_waiting_requests', 'Requests and streams that wait for changes', countWaits);

  function countWaits(): number {
    return [...byCaller.values()].reduce((sum, waits) => sum + waits.size, 0);
  }

  function enter(caller: string, wait: AbortController): void {
    const waits = byCaller.get(caller) ?? new Set();
    if (waits.size >= perCaller) throw tooMany(perCaller, status);
    byCaller.set(caller, waits.add(wait));
  }

  function leave(caller: string, wait: AbortController): void {
    const waits = byCaller.get(caller);
    waits?.delete(wait);
    if (waits?.size === 0) byCaller.delete(caller);
  }

  return {
    admit(ctx, limitMs = Number.POSITIVE_INFINITY) {
      const { clientId, subject, expiresAtSeconds, status: tokenStatus } = ctx.state.caller as AccessToken;
      const caller = `${clientId}\n${subject}`;
      const wait = new AbortController();
      const end = (result: WaitResult) => wait.abort(result);
      if (isDraining) end('shutting_down');
      enter(caller, wait);
      const leftMs = Math.max(0, expiresAtSeconds * 1000 - now().getTime());
      const result: WaitResult = limitMs < leftMs ? 'timeout' : 'token_expired';
      const timer = setTimeout(end, Math.min(limitMs, leftMs, MAX_TIMER_MS), result);
      const unwatch = tokenStatus && statusList?.watch(tokenStatus, () => end('token_revoked'));
      const disconnect = () => {
        clearTimeout(timer);
        unwatch?.();
        leave(caller, wait);
        end('disconnected');
      };
      ctx.res.once('close', disconnect);
      // The client may have disconnected during authentication.
      if (ctx.res.destroyed) disconnect();
      return wait.signal;
    },
    drain() {
      isDraining = true;
      for (const waits of byCaller.values()) for (const wait of waits) wait.abort('shutting_down');
    },
  };
}

function tooMany(perCaller: number, status: number): AppError {
  return new AppError(
    'too_many_requests',
    `Too many waiting requests; at most ${perCaller} may wait at once.`,
    {
      status,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
