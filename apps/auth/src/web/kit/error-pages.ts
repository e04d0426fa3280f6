import { AppError } from '@keydesk/server';
import type { Context, Middleware, Next } from 'koa';
import type { Pages } from '../../pages/pages.ts';
import type { ErrorAction, ErrorVariant } from '../../pages/views/error.ts';
import { statusOf, toErrorView } from './error-view.ts';
import { setPageHeaders } from './page-headers.ts';
import { presentationOf } from './presentation.ts';

/** The application of a failed request. */
export interface RequestingApplication {
  name: string;
  homePage: string | null | undefined;
}

/** Finds the links that an error page offers to continue, such as one back to the application. */
export type FindErrorActions = (
  ctx: Context,
  variant: ErrorVariant,
  application?: RequestingApplication,
) => readonly ErrorAction[] | Promise<readonly ErrorAction[]>;

/** Creates a middleware that answers errors with a page. */
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
