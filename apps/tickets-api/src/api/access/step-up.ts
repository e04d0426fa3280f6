import { requireAuthentication } from '@keydesk/access-token';
import type { Middleware } from 'koa';
import type { CheckOf } from '../http/routes.ts';

/** Authentication of users that sensitive operations require (RFC 9470 §3). */
export interface StepUpRequirements {
  /** Accepted authentication context classes in order of preference; empty: all. */
  acrValues: readonly string[];
  /** Seconds since the authentication, at most; `undefined`: no limit. */
  maxAgeSeconds?: number | undefined;
}

/** Requests that need this authentication. */
export interface StepUpOperation {
  operationId: string;
  /** Query parameter of these requests; default: all requests of the operation. */
  parameter?: { name: string; value: string };
}

export interface StepUpOptions extends StepUpRequirements {
  operations: readonly StepUpOperation[];
  now: () => Date;
}

/**
 * Creates the check that sensitive operations need a strong and recent authentication of the user (RFC 9470). Clients
 * that act for themselves pass: their role and scopes decide, because there is no user to authenticate.
 */
export function createStepUp({ operations, ...requirements }: StepUpOptions): CheckOf {
  const check = requireAuthentication(requirements);
  return (operation) => {
    const own = operations.filter(({ operationId }) => operationId === operation);
    if (own.length === 0) return undefined;
    const parameters = own.flatMap(({ parameter }) => parameter ?? []);
    const checkSelected: Middleware = function requireStepUp(ctx, next) {
      const query = new URLSearchParams(ctx.querystring);
      const isSelected = parameters.some(({ name, value }) => query.getAll(name).includes(value));
      return isSelected ? check(ctx, next) : next();
    };
    return parameters.length < own.length ? check : checkSelected;
  };
}
