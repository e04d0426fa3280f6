import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { createSealedCookie, type SealedCookieOptions } from './sealed-cookie.ts';

/** Values that a browser keeps at the same time, such as the attempts of several tabs, each in a sealed cookie. */
export interface SealedCookies<Value> {
  /** Adds the value of an id. The oldest one goes if there are too many. */
  set(ctx: Context, id: string, value: Value): void;
  /** Returns `undefined` if the browser has none of this id, or an expired or altered one. */
  read(ctx: Context, id: string): Value | undefined;
  /** Reads and removes the value. */
  take(ctx: Context, id: string): Value | undefined;
}

/** With the length, bounds the header field `Cookie`: servers refuse requests with more than 16 KiB of them. */
const MAX_VALUES = 5;
/** Length of all values before another one is added. */
const MAX_KEPT_LENGTH = 4_000;
const ID_LENGTH = 16;

interface Kept<Value> {
  value: Value;
  setAt: number;
}

/** @param options `name` is the prefix of the cookies' names */
export function createSealedCookies<Value>(options: SealedCookieOptions): SealedCookies<Value> {
  const prefix = `${options.name}-`;
  const cookieNamed = (name: string) => createSealedCookie<Kept<Value>>({ ...options, name });
  const cookieOf = (id: string) => cookieNamed(prefix + digestOf(id));

  /** Removes the oldest ones, so that another one fits. */
  function makeRoom(ctx: Context): void {
    const kept = namesIn(ctx, prefix).map((name) => {
      const length = ctx.cookies.get(name, { signed: false })?.length ?? 0;
      return { name, length, setAt: cookieNamed(name).read(ctx)?.setAt ?? 0 };
    });
    let total = 0;
    for (const [index, { name, length }] of kept.sort((a, b) => b.setAt - a.setAt).entries()) {
      total += length;
      if (index >= MAX_VALUES - 1 || total > MAX_KEPT_LENGTH) cookieNamed(name).clear(ctx);
    }
  }

  return {
    set(ctx, id, value) {
      makeRoom(ctx);
      cookieOf(id).set(ctx, { value, setAt: options.now().getTime() });
    },
    read: (ctx, id) => cookieOf(id).read(ctx)?.value,
    take: (ctx, id) => cookieOf(id).take(ctx)?.value,
  };
}

/** Returns the names of the cookies of a request that begin with a prefix. */
function namesIn(ctx: Context, prefix: string): string[] {
  const names = ctx
    .get('cookie')
    .split(';')
    .map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  return names.filter((name) => name.startsWith(prefix) && name.length === prefix.length + ID_LENGTH);
}

/** A secret does not belong into the name of a cookie. */
function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, ID_LENGTH);
}
