import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import {
  type CorrectPerson,
  parsePersonEdit,
  type ToPersonChanges,
  toPatchedPersonChanges,
  toPersonChanges,
} from '../../helpdesk/people/correct-person.ts';
import { type MergePeople, mergeSchema } from '../../helpdesk/people/merge.ts';
import type { People } from '../../helpdesk/people/people.ts';
import { type Person, type PersonView, personSchema, roles } from '../../helpdesk/people/person.ts';
import { toPersonPosition } from '../../helpdesk/people/person-order.ts';
import { toPersonView, type Viewer } from '../../helpdesk/people/viewer.ts';
import { rightsSchema } from '../../helpdesk/roles/right.ts';
import { createInputParser } from '../../wire/input/input.ts';
import { readBody, readMergePatch } from '../../wire/input/request-body.ts';
import { createRenderer } from '../../wire/output/renderer.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { scopes } from '../access/access.ts';
import { readPrecondition } from '../http/conditional-requests.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { rejectParameters } from '../http/query-parameters.ts';
import { digest, respond, setChangeHeaders } from '../http/respond.ts';
import { type Route, readId } from '../http/routes.ts';
import { getViewer, toPersonVersion } from '../http/viewer-state.ts';
import { toNextCursor } from '../lists/list-grammar.ts';
import { createListResponder } from '../lists/list-responder.ts';
import { peopleGrammar, toPeopleQuery } from './people-list.ts';

/** The caller of the API, in every format. */
export const meSchema = z.strictObject({
  // A separate schema, because a named schema of the contract can't be nullable.
  person: z
    .strictObject(personSchema.shape)
    .meta({ title: 'PersonProfile' })
    .nullable()
    .describe(
      'Person of the account; null for machines, and for customers who have never verified an address',
    ),
  email: z
    .email()
    .nullable()
    .describe('Newest verified address; null for machines, and without a verified address'),
  name: personSchema.shape.name,
  role: z.enum(roles).describe('Role of the caller'),
  rights: rightsSchema.describe('Rights of the role'),
  scopes: z.array(z.string()).meta({ item: 'scope', description: 'Scopes of the access token' }),
  client_id: z.string().describe('Client that the access token was issued to'),
});

export type Me = Readonly<z.output<typeof meSchema>>;

function toMe(viewer: Viewer): Me {
  const { person, signIn, role, rights, scopes, clientId } = viewer;
  return {
    person: person ? toPersonView(viewer, person) : null,
    email: person?.email ?? null,
    name: person?.name ?? signIn?.name ?? null,
    role,
    rights,
    scopes: [...scopes].sort(),
    client_id: clientId,
  };
}

export interface PeopleRoutesDeps {
  people: People;
  correct: CorrectPerson;
  merge: MergePeople;
  /** Base of links. */
  baseUrl: string;
}

const renderer = createRenderer({ schema: personSchema, singular: 'person', plural: 'people' });
/** Responds with pages of people. */
export const peopleResponder = createListResponder<PersonView>({
  schema: withEtag(personSchema),
  singular: 'person',
  plural: 'people',
  identity: 'id',
  renderer,
});
const meRenderer = createRenderer({ schema: meSchema, singular: 'me', plural: 'mes' });

/** Creates the routes `/people`, `/person/{id}` and `/me`. */
export function createPeopleRoutes({ people, correct, merge, baseUrl }: PeopleRoutesDeps): readonly Route[] {
  async function change(ctx: RouterContext, toChanges: ToPersonChanges, input: unknown): Promise<void> {
    const [isMet, requests] = [readPrecondition(ctx), toRepeatableRequests(ctx, input)];
    const result = await correct(getViewer(ctx), readPersonId(ctx), toChanges, isMet, requests);
    setChangeHeaders(ctx, result);
    respondWithPerson(ctx, result.answer);
  }

  async function listPeople(ctx: RouterContext) {
    const request = peopleGrammar.parse(ctx.querystring, {});
    const query = toPeopleQuery(request);
    const toPosition = (person: Person) => ({
      ...toPersonPosition(person, query.sort),
      ...(query.byRole && { role: person.role }),
    });
    const { people: items, hasMore } = await people.list(getViewer(ctx), query);
    peopleResponder.respond(ctx, baseUrl, {
      items,
      fields: request.fields,
      nextCursor: toNextCursor({ items, hasMore }, request, toPosition),
      total: request.hasTotal ? await people.count(getViewer(ctx), query) : undefined,
      toTag: ({ id, version }) => `${id}${version}`,
      toVersion: toPersonVersion,
    });
  }

  async function fetchPerson(ctx: RouterContext) {
    respondWithPerson(ctx, await people.get(getViewer(ctx), readPersonId(ctx)));
  }

  async function editPerson(ctx: RouterContext) {
    const edit = parsePersonEdit(await readBody(ctx, 'person'));
    await change(ctx, (current) => toPersonChanges(current, edit), edit);
  }

  async function patchPerson(ctx: RouterContext) {
    const patch = await readMergePatch(ctx);
    await change(ctx, (current) => toPatchedPersonChanges(current, patch), patch);
  }

  async function mergePeople(ctx: RouterContext) {
    const input = parseMerge(await readBody(ctx, 'merge'));
    const ids = { id: readPersonId(ctx), otherId: input.person_id };
    const outcome = await merge(getViewer(ctx), ids, toRepeatableRequests(ctx, input));
    if (!outcome.isFinished) ctx.status = 202;
    setChangeHeaders(ctx, outcome);
    respondWithPerson(ctx, outcome.answer);
  }

  return [
    ['GET', '/people', scopes.read, listPeople],
    ['GET', '/person/:id', scopes.read, rejectParameters, fetchPerson],
    ['PUT', '/person/:id', scopes.write, rejectParameters, editPerson],
    ['PATCH', '/person/:id', scopes.write, rejectParameters, patchPerson],
    ['POST', '/person/:id/merge', scopes.write, rejectParameters, mergePeople],
    ['GET', '/me', scopes.read, rejectParameters, fetchMe],
  ];
}

const parseMerge = createInputParser(mergeSchema);

function fetchMe(ctx: RouterContext): void {
  const me = toMe(getViewer(ctx));
  respond(ctx, digest(me), (format) => meRenderer.one(format, me));
}

function readPersonId(ctx: RouterContext): string {
  return readId(ctx, 'id', 'person');
}

function respondWithPerson(ctx: RouterContext, person: Person): void {
  const viewer = getViewer(ctx);
  const view = toPersonView(viewer, person);
  respond(ctx, toPersonVersion(view), (format, etag) => renderer.one(format, view, etag));
}
