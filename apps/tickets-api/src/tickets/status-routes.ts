import { requireScope } from '@keydesk/access-token';
import type { Middleware } from 'koa';
import { scopes } from '../access.ts';
import { createRenderer } from '../formats/renderer.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { takeNoParameters } from '../http/query-parameters.ts';
import { respondWithPage } from '../http/respond.ts';
import { type PublishedStatus, publishedStatuses, ticketStatusSchema } from './status.ts';

export interface StatusRoutesDeps {
  /** Links are built from it. */
  baseUrl: string;
  /** What every request has to pass first. */
  guard: Middleware;
}

const renderer = createRenderer({
  schema: ticketStatusSchema,
  singular: 'ticket_status',
  plural: 'ticket_statuses',
});

/** `/ticket_statuses`. */
export function createStatusRoutes({ baseUrl, guard }: StatusRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);

  router.get(
    '/ticket_statuses',
    requireScope(scopes.read),
    takeNoParameters,
    function listTicketStatuses(ctx) {
      const toTag = ({ id, transitions }: PublishedStatus) => [id, ...transitions].join('>');
      respondWithPage(ctx, baseUrl, { items: publishedStatuses, nextCursor: null, renderer, toTag });
    },
  );

  return router;
}
