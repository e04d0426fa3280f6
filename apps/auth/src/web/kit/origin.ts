import type { Context } from 'koa';
import type { Origin } from '../../accounts/account/account-event.ts';

/** Returns the origin of a form, which rate limits and audit records use. */
export function originOf(ctx: Context, clientId?: string): Origin {
  return { address: ctx.ip, requestId: ctx.state.requestId, clientId };
}
