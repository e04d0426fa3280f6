import type { Context } from 'koa';
import type { Notice } from '../../../pages/views/forms.ts';

/** Value that a browser passes to later pages in a signed cookie. */
export interface SignedCookie<Value> {
  set(ctx: Context, value: Value): void;
  get(ctx: Context): Value | undefined;
  clear(ctx: Context): void;
}

export function createSignedCookie<Value>(name: string, maxAgeMs: number): SignedCookie<Value> {
  const attributes = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    set(ctx, value) {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url');
      ctx.cookies.set(name, text, { ...attributes, maxAge: maxAgeMs });
    },
    get(ctx) {
      const text = ctx.cookies.get(name, { signed: true });
      return text ? (JSON.parse(Buffer.from(text, 'base64url').toString()) as Value) : undefined;
    },
    clear: (ctx) => void ctx.cookies.set(name, null, attributes),
  };
}

/** Messages about the last action; the next page shows each of them once. */
export interface FlashMessages {
  set(ctx: Context, notice: Notice): void;
  take(ctx: Context): Notice | undefined;
}

const ONE_MINUTE_MS = 60_000;

/** @param cookie name of the cookie that passes the message to the next page */
export function createFlashMessages(cookie: string): FlashMessages {
  const left = createSignedCookie<Notice>(cookie, ONE_MINUTE_MS);
  return {
    set: left.set,
    take(ctx) {
      const notice = left.get(ctx);
      if (notice) left.clear(ctx);
      return notice;
    },
  };
}
