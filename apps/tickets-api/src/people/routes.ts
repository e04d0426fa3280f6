import { hash } from 'node:crypto';
import { requireScope } from '@keydesk/access-token';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { scopes } from '../access.ts';
import { createRenderer } from '../formats/renderer.ts';
import { GuardedRouter } from '../http/guarded-router.ts';
import { readId } from '../http/path-id.ts';
import { oneOf, pageParameters, parseParameters, takeNoParameters } from '../http/query-parameters.ts';
import { respond, respondWithPage } from '../http/respond.ts';
import { getViewer } from '../http/viewer-state.ts';
import { decodePeopleCursor, encodePeopleCursor } from './cursor.ts';
import { meSchema, toMe } from './me.ts';
import type { People } from './people.ts';
import { personSchema, roles } from './person.ts';
import { toPersonView } from './viewer.ts';

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
    .describe('What an e-mail address, the name or a later word of the name begins with'),
  role: z
    .string()
    .transform((given) => [...new Set(given.split(','))])
    .pipe(z.array(oneOf(roles)).min(1).meta({ item: 'value' }))
    .optional()
    .describe('Roles at the latest sign-in, separated by commas'),
});

const renderer = createRenderer({ schema: personSchema, singular: 'person', plural: 'people' });
const meRenderer = createRenderer({ schema: meSchema, singular: 'me', plural: 'mes' });

/** `/people`, `/person/{id}` and `/me`. */
export function createPeopleRoutes({ people, baseUrl, guard }: PeopleRoutesDeps): GuardedRouter {
  const router = new GuardedRouter(guard);
  const read = requireScope(scopes.read);

  router.get('/people', read, async function listPeople(ctx) {
    const { limit, cursor, q: prefix, role } = parseParameters(peopleParametersSchema, ctx.querystring);
    const search = { ...(prefix !== undefined && { prefix }), ...(role && { roles: role }) };
    const after = cursor === undefined ? undefined : decodePeopleCursor(cursor, search);
    const query = { ...search, limit, ...(after !== undefined && { after }) };
    const { people: items, hasMore } = await people.list(getViewer(ctx), query);
    const nextCursor = hasMore ? encodePeopleCursor(items, search) : null;
    respondWithPage(ctx, baseUrl, { items, nextCursor, renderer, toTag: digest });
  });

  router.get('/person/:id', read, takeNoParameters, async function fetchPerson(ctx) {
    const viewer = getViewer(ctx);
    const person = toPersonView(viewer, await people.get(viewer, readId(ctx, 'id', 'person')));
    respond(ctx, digest(person), (format) => renderer.one(format, person));
  });

  router.get('/me', read, takeNoParameters, function fetchMe(ctx: RouterContext) {
    const me = toMe(getViewer(ctx));
    respond(ctx, digest(me), (format) => meRenderer.one(format, me));
  });

  return router;
}

function digest(resource: object): string {
  return hash('sha1', JSON.stringify(resource), 'base64url');
}
