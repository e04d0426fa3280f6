import type { Middleware } from 'koa';

const FRESH_MS = 1_000;

export interface EpochDeps {
  /** Reads the epoch of the database. */
  read: () => Promise<string>;
  now: () => Date;
}

/** Sets `ctx.state.epoch`, the epoch of the database, which every entity tag includes. Cached for a second. */
export function identifyEpoch({ read, now }: EpochDeps): Middleware {
  let cached: Promise<string> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  function current(): Promise<string> {
    const at = now().getTime();
    if (cached && Math.abs(at - readAt) < FRESH_MS) return cached;
    readAt = at;
    const reading = read();
    cached = reading;
    reading.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading;
  }

  return async function identifyEpochOfDatabase(ctx, next) {
    ctx.state.epoch = await current();
    await next();
  };
}
