import type { Context } from 'koa';
import type { Notice } from '../pages/views/forms.ts';
import { createSignedCookie } from './signed-cookie.ts';

/** Messages about what has just been done, each shown once by the page that the browser is led to. */
export interface Notices {
  leave(ctx: Context, notice: Notice): void;
  take(ctx: Context): Notice | undefined;
}

const ONE_MINUTE_MS = 60_000;

/** @param cookie name of the cookie that carries the message to the next page */
export function createNotices(cookie: string): Notices {
  const left = createSignedCookie<Notice>(cookie, ONE_MINUTE_MS);
  return {
    leave: left.set,
    take(ctx) {
      const notice = left.get(ctx);
      if (notice) left.clear(ctx);
      return notice;
    },
  };
}
