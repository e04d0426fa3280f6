import type { Middleware } from 'koa';

const FRESH_MS = 1_000;

export interface EpochDeps {
  /** Reads the epoch of the database. */
  read: () => Promise<string>;
  now: () => Date;
}

/** Sets `ctx.state.epoch`, which every entity tag has: the epoch of the database, at most a second old. */
export function identifyEpoch({ read, now }: EpochDeps): Middleware {
  let known: Promise<string> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  function current(): Promise<string> {
    const at = now().getTime();
    if (known && Math.abs(at - readAt) < FRESH_MS) return known;
    readAt = at;
    const reading = read();
    known = reading;
    reading.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading;
  }

  return async function identifyEpochOfDatabase(ctx, next) {
    ctx.state.epoch = await current();
    await next();
  };
}
