import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { countableFields, type TicketCount } from '../../helpdesk/list/count-tickets.ts';
import type { TicketFilter } from '../../helpdesk/list/ticket-filter.ts';
import type { Tickets } from '../../helpdesk/tickets/tickets.ts';
import { createRenderer } from '../../wire/output/renderer.ts';
import { scopes } from '../access/access.ts';
import { createParameterReader, oneOf } from '../http/query-parameters.ts';
import { respondWithPage } from '../http/respond.ts';
import type { Route } from '../http/routes.ts';
import { getViewer } from '../http/viewer-state.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { customFieldParameters, ticketFilters } from './filter-parameters.ts';

export interface CountRoutesDeps {
  tickets: Pick<Tickets, 'countBy'>;
  /** Base of the URLs in responses. */
  baseUrl: string;
  now: () => Date;
}

/** The number of tickets with one value of a field, in every format. */
export const ticketCountSchema = z.strictObject({
  by: z.enum(countableFields).describe('Field that is counted by'),
  value: z
    .string()
    .nullable()
    .describe('Value of the field; for `assignee`, the id of the person; null for tickets without a value'),
  count: z.int().min(0).describe('Number of tickets'),
  is_exact: z.boolean().describe('Whether `count` is exact; if false, there may be more tickets'),
});

/** The query parameters of `GET /ticket_counts`, except those of custom fields. */
export const countParametersSchema = z.object({
  by: listOf(oneOf(countableFields))
    .default(['status'])
    .describe('Fields to count by, separated by commas; each is counted separately'),
  ...ticketFilters.parameters,
});

const of = { list: 'ticket_counts', operation: 'countTickets' };
const renderer = createRenderer({
  schema: ticketCountSchema,
  singular: 'ticket_count',
  plural: 'ticket_counts',
});

/** Creates the route of `/ticket_counts`. */
export function createCountRoutes({ tickets, baseUrl, now }: CountRoutesDeps): readonly Route[] {
  const readParameters = createParameterReader(countParametersSchema, {
    owner: of,
    open: customFieldParameters,
  });

  async function countTickets(ctx: RouterContext) {
    const { by, ...filters } = readParameters(ctx.querystring);
    const filter = ticketFilters.toConditions(filters, now().toISOString()) as TicketFilter;
    const query = { filter, sort: { field: 'created_at', direction: 'desc' }, limit: 1 } as const;
    const items: TicketCount[] = [];
    for (const field of by) items.push(...(await tickets.countBy(getViewer(ctx), query, field)));
    respondWithPage(ctx, baseUrl, {
      items,
      nextCursor: null,
      renderer,
      toTag: (each) => JSON.stringify(each),
    });
  }

  return [['GET', '/ticket_counts', scopes.read, countTickets]];
}
