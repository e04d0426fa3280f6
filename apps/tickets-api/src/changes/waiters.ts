import type { AccessToken } from '@keydesk/access-token';
import { AppError } from '@keydesk/http';
import type { ParameterizedContext } from 'koa';

export interface WaitersDeps {
  now: () => Date;
  /** Of refusals. */
  status: number;
  /** How many requests of one client and subject may wait at once. */
  perCaller?: number | undefined;
}

/** Why a wait ended. */
export type EndOfWait = 'time_is_up' | 'token_expired' | 'shutting_down' | 'client_gone';

/** Requests that wait for something to come: few a caller, and none for longer than its token is good. */
export interface Waiters {
  /**
   * Lets a request wait; its `signal` is aborted, with an `EndOfWait` as the reason, when it has to end.
   *
   * @throws {AppError} `too_many_requests` when too many of the caller wait already
   */
  admit(ctx: ParameterizedContext, limitMs?: number): AbortSignal;
  /** Ends all waits, and lets no request wait any more. */
  drain(): void;
}

const PER_CALLER = 20;
const RETRY_AFTER_SECONDS = 5;
/** A timer that is set for longer goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createWaiters({ now, status, perCaller = PER_CALLER }: WaitersDeps): Waiters {
  const byCaller = new Map<string, Set<AbortController>>();
  let isDraining = false;

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
      const { clientId, subject, expiresAtSeconds } = ctx.state.caller as AccessToken;
      const caller = `${clientId}\n${subject}`;
      const wait = new AbortController();
      const end = (why: EndOfWait) => wait.abort(why);
      if (isDraining) end('shutting_down');
      enter(caller, wait);
      const leftMs = Math.max(0, expiresAtSeconds * 1000 - now().getTime());
      const why: EndOfWait = limitMs < leftMs ? 'time_is_up' : 'token_expired';
      const timer = setTimeout(end, Math.min(limitMs, leftMs, LONGEST_TIMER_MS), why);
      const leaveAsGone = () => {
        clearTimeout(timer);
        leave(caller, wait);
        end('client_gone');
      };
      ctx.res.once('close', leaveAsGone);
      // Its client may have gone while its token was checked.
      if (ctx.res.destroyed) leaveAsGone();
      return wait.signal;
    },
    drain() {
      isDraining = true;
      for (const waits of byCaller.values()) for (const wait of waits) wait.abort('shutting_down');
    },
  };
}

function tooMany(perCaller: number, status: number): AppError {
  return new AppError('too_many_requests', `No more than ${perCaller} requests may wait at once.`, {
    status,
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
