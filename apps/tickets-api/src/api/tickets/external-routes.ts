import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import { withTypedValues } from '../../helpdesk/fields/field-value.ts';
import { parseTicketEdit, toChanges } from '../../helpdesk/tickets/edits.ts';
import type { ExternalTickets } from '../../helpdesk/tickets/external-tickets.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import type { ChangeOutcome, Tickets } from '../../helpdesk/tickets/tickets.ts';
import { invalidMember } from '../../wire/faults/validation-errors.ts';
import { readBody } from '../../wire/input/request-body.ts';
import { isXmlText } from '../../wire/xml/xml-text.ts';
import { scopes } from '../access/access.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { rejectParameters } from '../http/query-parameters.ts';
import type { Route } from '../http/routes.ts';
import { getViewer, readViewPrecondition } from '../http/viewer-state.ts';
import { readProjectionParameters } from './projection.ts';
import { findEditFaults, readNewTicket } from './read-ticket-body.ts';
import { locateHolder, replyWithChange, replyWithCreation, replyWithView } from './responses.ts';

export interface ExternalRoutesDeps {
  external: ExternalTickets;
  tickets: Pick<Tickets, 'include'>;
  /** Base of the URLs in responses. */
  baseUrl: string;
}

/** Creates the routes of `/tickets/external/{external_id}`; an earlier middleware removes the format suffix. */
export function createExternalRoutes({ external, tickets, baseUrl }: ExternalRoutesDeps): readonly Route[] {
  async function fetchExternalTicket(ctx: RouterContext) {
    const { deleted, ...shown } = readProjectionParameters(ctx.querystring);
    const viewer = getViewer(ctx);
    const ticket = await external.get(viewer, readExternalId(ctx), deleted === 'true');
    replyWithView(ctx, ticket, shown, await tickets.include(viewer, [ticket], shown.include));
  }

  async function putTicket(ctx: RouterContext) {
    const viewer = getViewer(ctx);
    const externalId = readExternalId(ctx);
    const body = await readBody(ctx, 'ticket');
    const edit = parseTicketEdit(body, findEditFaults(viewer));
    assertSameId(externalId, edit.external_id);
    const typed = withTypedValues(viewer.fields, body, edit);
    const requests = toRepeatableRequests(ctx, typed);
    const change = {
      toNew: () => ({
        ...readNewTicket(viewer, body),
        external_id: externalId,
      }),
      mayCreate: ctx.get('If-Match') === '',
      toChanges: (view: Ticket) =>
        toChanges(view, withTypedValues(viewer.fields, body, edit, view.custom_fields)),
      precondition: readViewPrecondition(ctx),
    };
    const outcome = await locateHolder(ctx, baseUrl, () =>
      external.put(viewer, externalId, change, requests),
    );
    if (isCreation(outcome)) replyWithCreation(ctx, baseUrl, outcome);
    else replyWithChange(ctx, outcome);
  }

  return [
    ['GET', '/tickets/external/:external_id', scopes.read, fetchExternalTicket],
    ['PUT', '/tickets/external/:external_id', scopes.write, rejectParameters, putTicket],
  ];
}

/** Whether the change added the ticket: only then it changes something and the version is 1. */
function isCreation({ ticket, hasChanged }: ChangeOutcome): boolean {
  return hasChanged && ticket.version === 1;
}

/** Reads the external id of the path. @throws {AppError} `not_found` for a malformed external id */
function readExternalId({ params }: Pick<RouterContext, 'params'>): string {
  const externalId = params.external_id ?? '';
  if (externalId.length <= 255 && isXmlText(externalId)) return externalId;
  throw new AppError(
    'not_found',
    'An external id has 1 to 255 characters, percent-encoded as UTF-8, without control characters.',
  );
}

/** @throws {AppError} `validation_failed` when the external id in the body differs from that of the path */
function assertSameId(externalId: string, given: string | null | undefined): void {
  if (given === undefined || given === externalId) return;
  const message = `must equal the external id in the path, ${JSON.stringify(externalId)}, or be omitted`;
  throw invalidMember('external_id', message);
}
