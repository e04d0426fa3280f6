import { AppError } from '@keydesk/http';
import type { Context, Middleware, Next } from 'koa';
import type { Pages } from '../pages/pages.ts';
import type { ErrorAction, ErrorVariant } from '../pages/views/error.ts';
import { statusOf, toErrorView } from './error-view.ts';
import { setPageHeaders } from './page-headers.ts';
import { presentationOf } from './presentation.ts';

/** An application that somebody can go back to. */
export interface AskingApplication {
  name: string;
  homePage: string | null | undefined;
}

/** What somebody can do next who ran into an error of that kind, on the way to an application if one is known. */
export type FindErrorActions = (
  ctx: Context,
  variant: ErrorVariant,
  application?: AskingApplication,
) => readonly ErrorAction[] | Promise<readonly ErrorAction[]>;

/** Tells people, by a page, what went wrong behind it. */
export function errorPages(pages: Pages, findActions: FindErrorActions = () => []): Middleware {
  return async function showErrors(ctx: Context, next: Next): Promise<void> {
    try {
      await next();
    } catch (err) {
      const status = statusOf(err);
      if (status >= 500) ctx.state.log?.error({ err }, 'request failed');
      ctx.state.errorCode = err instanceof AppError ? err.code : 'invalid_request';
      ctx.status = status;
      if (err instanceof AppError) ctx.set({ ...err.headers });
      setPageHeaders(ctx);
      const view = toErrorView(err, ctx.state.requestId);
      const actions = await findActions(ctx, view.variant);
      ctx.body = pages.renderError({ ...view, actions }, presentationOf(ctx));
    }
  };
}
