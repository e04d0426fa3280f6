import type { Context } from 'koa';
import type { Origin } from '../accounts/account-event.ts';

/** Where a form came from, for limits and the audit record. */
export function originOf(ctx: Context, clientId?: string): Origin {
  return { address: ctx.ip, requestId: ctx.state.requestId, clientId };
}
