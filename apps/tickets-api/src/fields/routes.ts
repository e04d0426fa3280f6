import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { scopes } from '../access.ts';
import { createRenderer } from '../formats/renderer.ts';
import { readBody, readMergePatch, takeNoBody } from '../formats/request-body.ts';
import { tagged } from '../formats/tagged.ts';
import { precondition } from '../http/conditional-requests.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { readId } from '../http/path-id.ts';
import { takeNoParameters } from '../http/query-parameters.ts';
import { respond, tellChange } from '../http/respond.ts';
import { getViewer } from '../http/viewer-state.ts';
import { createWholeList } from '../lists/whole-list.ts';
import type { Settled } from '../replay.ts';
import { parseFieldEdit, parseNewField, type ToContent, toContent, toPatchedContent } from './edits.ts';
import type { Fields } from './fields.ts';
import { MAX_FIELDS, type TicketField, ticketFieldSchema } from './ticket-field.ts';

export interface FieldRoutesDeps {
  fields: Fields;
  /** Links are built from it. */
  baseUrl: string;
  /** What every request has to pass first: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

const renderer = createRenderer({
  schema: ticketFieldSchema,
  singular: 'ticket_field',
  plural: 'ticket_fields',
});

export const fieldList = createWholeList<TicketField>({
  of: { list: 'ticket_fields', operation: 'listTicketFields' },
  schema: tagged(ticketFieldSchema),
  singular: 'ticket_field',
  plural: 'ticket_fields',
  identity: 'id',
  renderer,
  max: MAX_FIELDS,
  sortField: 'position',
  uniqueField: 'key',
});

/** `/ticket_fields` and `/ticket_field/{id}`. */
export function createFieldRoutes({ fields, baseUrl, guard }: FieldRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const read = requireScope(scopes.read);
  const write = requireScope(scopes.write);
  const remove = requireScope(scopes.delete);

  async function change(ctx: RouterContext, toNext: ToContent, input: unknown): Promise<void> {
    const requests = toRepeatableRequests(ctx, input);
    respondWithChange(
      ctx,
      await fields.change(getViewer(ctx), readFieldId(ctx), toNext, precondition(ctx), requests),
    );
  }

  router.get('/ticket_fields', read, async function listTicketFields(ctx) {
    const toTag = ({ id, version }: TicketField) => `${id}${version}`;
    fieldList.respond(ctx, baseUrl, await fields.list(getViewer(ctx)), { toTag, toVersion });
  });

  router.post('/ticket_fields', write, takeNoParameters, async function addTicketField(ctx) {
    const input = parseNewField(await readBody(ctx, 'ticket_field'));
    const requests = toRepeatableRequests(ctx, input);
    const settled = await fields.add(getViewer(ctx), input, requests);
    ctx.status = 201;
    ctx.set('Location', `${baseUrl}/ticket_field/${settled.answer.id}.${ctx.state.format}`);
    respondWithChange(ctx, settled);
  });

  router.get('/ticket_field/:id', read, takeNoParameters, async function fetchTicketField(ctx) {
    respondWithField(ctx, await fields.get(getViewer(ctx), readFieldId(ctx)));
  });

  router.put('/ticket_field/:id', write, takeNoParameters, async function editTicketField(ctx) {
    const edit = parseFieldEdit(await readBody(ctx, 'ticket_field'));
    await change(ctx, (current) => toContent(current, edit), edit);
  });

  router.patch('/ticket_field/:id', write, takeNoParameters, async function patchTicketField(ctx) {
    const patch = await readMergePatch(ctx);
    await change(ctx, (current) => toPatchedContent(current, patch), patch);
  });

  router.delete(
    '/ticket_field/:id',
    remove,
    takeNoParameters,
    takeNoBody,
    async function deleteTicketField(ctx) {
      const requests = toRepeatableRequests(ctx, null);
      respondWithChange(
        ctx,
        await fields.remove(getViewer(ctx), readFieldId(ctx), precondition(ctx), requests),
      );
    },
  );

  return router;
}

function toVersion({ version }: TicketField): string {
  return String(version);
}

function readFieldId(ctx: RouterContext): string {
  return readId(ctx, 'id', 'field');
}

function respondWithField(ctx: RouterContext, field: TicketField): void {
  respond(ctx, toVersion(field), (format, etag) => renderer.one(format, field, etag));
}

function respondWithChange(ctx: RouterContext, settled: Settled<TicketField>): void {
  tellChange(ctx, settled);
  respondWithField(ctx, settled.answer);
}
