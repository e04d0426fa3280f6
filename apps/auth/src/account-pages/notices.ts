import type { Context } from 'koa';
import type { Notice } from '../pages/views/forms.ts';

/** Messages about what has just been done, each shown once by the page that the browser is led to. */
export interface Notices {
  leave(ctx: Context, notice: Notice): void;
  take(ctx: Context): Notice | undefined;
}

const ONE_MINUTE_MS = 60_000;

/** @param cookie name of the signed cookie that carries the message to the next page */
export function createNotices(cookie: string): Notices {
  return {
    leave(ctx, notice) {
      const value = Buffer.from(JSON.stringify(notice)).toString('base64url');
      const attributes = { httpOnly: true, sameSite: 'lax', signed: true, maxAge: ONE_MINUTE_MS } as const;
      ctx.cookies.set(cookie, value, attributes);
    },
    take(ctx) {
      const value = ctx.cookies.get(cookie, { signed: true });
      if (!value) return undefined;
      ctx.cookies.set(cookie, null);
      // Signed by us, so it is as we wrote it.
      return JSON.parse(Buffer.from(value, 'base64url').toString());
    },
  };
}
