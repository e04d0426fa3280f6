import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Links } from '../../helpdesk/links/links.ts';
import { linkSchema } from '../../helpdesk/tickets/ticket.ts';
import { createInputParser } from '../../wire/input.ts';
import { readBody, rejectBody } from '../../wire/request-body.ts';
import { scopes } from '../http/access.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { readId } from '../http/path-id.ts';
import { rejectParameters } from '../http/query-parameters.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { replyWithChange } from './responses.ts';

export interface LinkRoutesDeps {
  links: Links;
  /** Runs before every route: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

const parseLink = createInputParser(linkSchema);

/** Creates the routes of `/ticket/{id}/links` and `/ticket/{id}/link/{other_id}`. */
export function createLinkRoutes({ links, guard }: LinkRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const write = requireScope(scopes.write);
  const ticketId = (ctx: RouterContext) => readId(ctx, 'id', 'ticket');

  router.post('/ticket/:id/links', write, rejectParameters, async function addTicketLink(ctx) {
    const link = parseLink(await readBody(ctx, 'link'));
    const requests = toRepeatableRequests(ctx, link);
    replyWithChange(
      ctx,
      await links.add(getViewer(ctx), ticketId(ctx), link, readViewPrecondition(ctx), requests),
    );
  });

  router.delete(
    '/ticket/:id/link/:other_id',
    write,
    rejectParameters,
    rejectBody,
    async function removeTicketLink(ctx) {
      const otherId = readId(ctx, 'other_id', 'link');
      const requests = toRepeatableRequests(ctx, null);
      replyWithChange(
        ctx,
        await links.remove(getViewer(ctx), ticketId(ctx), otherId, readViewPrecondition(ctx), requests),
      );
    },
  );

  return router;
}
