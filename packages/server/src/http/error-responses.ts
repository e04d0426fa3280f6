import { AppError } from '@keydesk/errors';
import type { Middleware, ParameterizedContext } from 'koa';
import { type Problem, toAppError, toErrorHeaders, toProblem } from './problem.ts';

/** Writes a problem document to the response. Default: `application/problem+json`. */
export type RenderProblem = (ctx: ParameterizedContext, problem: Problem) => void;

const renderJson: RenderProblem = (ctx, problem) => {
  ctx.body = JSON.stringify(problem);
  ctx.type = 'application/problem+json';
};

export interface ErrorResponseOptions {
  render?: RenderProblem;
  /** Prefix of a problem's `type`, before its code. Default: a URN. */
  typeBase?: string;
}

/**
 * Converts errors to responses. Server errors are logged with their stack; an unmatched route becomes `not_found`.
 */
export function errorResponses({ render = renderJson, typeBase }: ErrorResponseOptions = {}): Middleware {
  return async function respondToErrors(ctx, next) {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null)
        throw new AppError('not_found', 'No resource has this address.');
    } catch (err) {
      const failure = toAppError(err);
      if (failure.status >= 500) ctx.state.log?.error({ err: failure.cause ?? failure }, 'request failed');
      ctx.state.errorCode = failure.code;
      ctx.status = failure.status;
      ctx.set({ ...toErrorHeaders(failure), 'Cache-Control': 'no-store' });
      render(ctx, toProblem(failure, ctx.state.requestId ?? '', typeBase));
    }
  };
}
