import type { RouterContext } from '@koa/router';
import type { Links } from '../../helpdesk/links/links.ts';
import { linkSchema } from '../../helpdesk/tickets/ticket.ts';
import { createInputParser } from '../../wire/input/input.ts';
import { readBody, rejectBody } from '../../wire/input/request-body.ts';
import { scopes } from '../access/access.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { rejectParameters } from '../http/query-parameters.ts';
import { type Route, readId, readTicketId } from '../http/routes.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { replyWithChange } from './responses.ts';

export interface LinkRoutesDeps {
  links: Links;
}

const parseLink = createInputParser(linkSchema);

/** Creates the routes of `/ticket/{id}/links` and `/ticket/{id}/link/{other_id}`. */
export function createLinkRoutes({ links }: LinkRoutesDeps): readonly Route[] {
  async function addTicketLink(ctx: RouterContext) {
    const link = parseLink(await readBody(ctx, 'link'));
    const requests = toRepeatableRequests(ctx, link);
    replyWithChange(
      ctx,
      await links.add(getViewer(ctx), readTicketId(ctx), link, readViewPrecondition(ctx), requests),
    );
  }

  async function removeTicketLink(ctx: RouterContext) {
    const otherId = readId(ctx, 'other_id', 'link');
    const requests = toRepeatableRequests(ctx, null);
    replyWithChange(
      ctx,
      await links.remove(getViewer(ctx), readTicketId(ctx), otherId, readViewPrecondition(ctx), requests),
    );
  }

  return [
    ['POST', '/ticket/:id/links', scopes.write, rejectParameters, addTicketLink],
    ['DELETE', '/ticket/:id/link/:other_id', scopes.write, rejectParameters, rejectBody, removeTicketLink],
  ];
}
