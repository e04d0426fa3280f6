import type { Context } from 'koa';
import type { Notice } from '../../pages/views/forms.ts';
import { createSignedCookie } from '../kit/signed-cookie.ts';

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
