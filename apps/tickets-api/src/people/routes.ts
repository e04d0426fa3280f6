import { hash } from 'node:crypto';
import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { scopes } from '../access.ts';
import { createRenderer } from '../formats/renderer.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { readId } from '../http/path-id.ts';
import { pageParameters, parseParameters, takeNoParameters } from '../http/query-parameters.ts';
import { respond, respondWithPage } from '../http/respond.ts';
import { getViewer } from '../http/viewer-state.ts';
import { decodePeopleCursor, encodePeopleCursor } from './cursor.ts';
import { meSchema, toMe } from './me.ts';
import type { People } from './people.ts';
import { type Person, personSchema } from './person.ts';

export interface PeopleRoutesDeps {
  people: People;
  /** Links are built from it. */
  baseUrl: string;
  /** What every request has to pass first: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

/** The query parameters of `GET /people`. */
export const peopleParametersSchema = z.object({
  ...pageParameters,
  q: z
    .string()
    .trim()
    .min(1, 'must not be blank')
    .max(254)
    .transform((text) => text.toLowerCase())
    .optional()
    .describe('What the e-mail address, the name or a later word of the name begins with'),
});

const renderer = createRenderer({ schema: personSchema, singular: 'person', plural: 'people' });
const meRenderer = createRenderer({ schema: meSchema, singular: 'me', plural: 'mes' });

/** `/people`, `/person/{id}` and `/me`. */
export function createPeopleRoutes({ people, baseUrl, guard }: PeopleRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const read = requireScope(scopes.read);

  router.get('/people', read, async function listPeople(ctx) {
    const { limit, cursor, q: prefix } = parseParameters(peopleParametersSchema, ctx.querystring);
    const after = cursor === undefined ? undefined : decodePeopleCursor(cursor, prefix);
    const query = { limit, ...(prefix !== undefined && { prefix }), ...(after !== undefined && { after }) };
    const { people: items, hasMore } = await people.list(getViewer(ctx), query);
    const nextCursor = hasMore ? encodePeopleCursor(items, prefix) : null;
    respondWithPage(ctx, baseUrl, { items, nextCursor, renderer, toTag: digest });
  });

  router.get('/person/:id', read, takeNoParameters, async function fetchPerson(ctx) {
    const person = await people.get(getViewer(ctx), readId(ctx, 'id', 'person'));
    respond(ctx, digest(person), (format) => renderer.one(format, person));
  });

  router.get('/me', read, takeNoParameters, function fetchMe(ctx: RouterContext) {
    const me = toMe(getViewer(ctx));
    respond(ctx, digest(me), (format) => meRenderer.one(format, me));
  });

  return router;
}

/** People have no versions. */
function digest(resource: Person | object): string {
  return hash('sha1', JSON.stringify(resource), 'base64url');
}
