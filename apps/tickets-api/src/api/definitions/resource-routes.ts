import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import type { RepeatableRequest } from '../../helpdesk/commit/idempotency.ts';
import type { ChangeResult } from '../../helpdesk/commit/replay.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import type { ResourceChange } from '../../helpdesk/versioned-resource.ts';
import type { Body } from '../../wire/input/input.ts';
import { readBody, readMergePatch, rejectBody } from '../../wire/input/request-body.ts';
import type { Renderer } from '../../wire/output/renderer.ts';
import type { JsonObject } from '../../wire/schema/json-object.ts';
import { scopes } from '../access/access.ts';
import { readPrecondition } from '../http/conditional-requests.ts';
import { toRepeatableRequests } from '../http/idempotency-key.ts';
import { createParameterReader, rejectParameters } from '../http/query-parameters.ts';
import { respond, setChangeHeaders } from '../http/respond.ts';
import type { Route } from '../http/routes.ts';
import { getViewer } from '../http/viewer-state.ts';
import type { WholeList } from '../lists/whole-list.ts';

/** Operations on a resource that administrators change, and that is listed without pages. */
export interface ResourceCases<Resource, New, ToContent, Id> {
  list(viewer: Viewer): Promise<readonly Resource[]>;
  get(viewer: Viewer, id: Id): Promise<Resource>;
  /** Absent if all members are built in. */
  add?(viewer: Viewer, input: New, requests: readonly RepeatableRequest[]): Promise<ChangeResult<Resource>>;
  change(change: ResourceChange<Resource, Id>, toContent: ToContent): Promise<ChangeResult<Resource>>;
  /** Absent if no member can be removed. @param parameters of the query */
  remove?(change: ResourceChange<Resource, Id>, parameters: object): Promise<ChangeResult<Resource>>;
}

/** Parsers of the bodies of requests. */
export interface ResourceEdits<New, ToContent> {
  /** Parses the body of `POST`; absent if no member can be added. */
  parseNew?(body: Body): New;
  /** Parses the body of an edit; returns it with the change that it requests. */
  parseEdit(body: Body): { edit: unknown; toContent: ToContent };
  readPatch(patch: JsonObject): ToContent;
}

/** Members of every resource. */
interface Member {
  id: string;
  version: number;
}

export interface ResourceRoutesDeps<Resource extends Member, New, ToContent, Id = string> {
  /** Base of links. */
  baseUrl: string;
  /** Names in paths and bodies. */
  singular: string;
  plural: string;
  /** Names in the ids of operations. */
  operation: { one: string; all: string };
  renderer: Renderer<Resource>;
  collection: Pick<WholeList<Resource>, 'respond'>;
  /** Returns the version in the entity tag. */
  toTag: (resource: Resource) => string;
  /** Reads the id in the path. @throws {AppError} `not_found` for text that is not an id */
  readId: (ctx: RouterContext) => Id;
  cases: ResourceCases<Resource, New, ToContent, Id>;
  edits: ResourceEdits<New, ToContent>;
  /** Query parameters of `DELETE`. */
  deleteParameters?: z.ZodObject;
}

const noParameters = z.object({});

/** Creates the routes of a resource: list, fetch, edit and patch, and optionally add and delete. */
export function createResourceRoutes<Resource extends Member, New, ToContent, Id = string>(
  deps: ResourceRoutesDeps<Resource, New, ToContent, Id>,
): readonly Route[] {
  const { singular, plural, operation } = deps;
  const { list, add, fetchOne, edit, patch, remove } = createResourceHandlers(deps);
  const [collection, member] = [`/${plural}`, `/${singular}/:id`];
  const routes: (Route | undefined)[] = [
    ['GET', collection, scopes.read, named(`list${operation.all}`, list)],
    add && ['POST', collection, scopes.write, rejectParameters, named(`add${operation.one}`, add)],
    ['GET', member, scopes.read, rejectParameters, named(`fetch${operation.one}`, fetchOne)],
    ['PUT', member, scopes.write, rejectParameters, named(`edit${operation.one}`, edit)],
    ['PATCH', member, scopes.write, rejectParameters, named(`patch${operation.one}`, patch)],
    remove && ['DELETE', member, scopes.delete, rejectBody, named(`delete${operation.one}`, remove)],
  ];
  return routes.filter((route) => route !== undefined);
}

/** Creates the handlers of the routes; `add` and `remove` only if the resource has these operations. */
function createResourceHandlers<Resource extends Member, New, ToContent, Id>(
  deps: ResourceRoutesDeps<Resource, New, ToContent, Id>,
) {
  const { baseUrl, singular, renderer, toTag, readId, cases, edits } = deps;
  const { add, remove } = cases;
  const { parseNew } = edits;
  const readDeleteParameters = createParameterReader(deps.deleteParameters ?? noParameters);

  function toChange(ctx: RouterContext, input: unknown): ResourceChange<Resource, Id> {
    const isExpected = readPrecondition(ctx);
    return {
      viewer: getViewer(ctx),
      id: readId(ctx),
      precondition: (current) => isExpected(toTag(current), current.version),
      requests: toRepeatableRequests(ctx, input),
    };
  }

  function respondWith(ctx: RouterContext, resource: Resource): void {
    respond(ctx, toTag(resource), (format, etag) => renderer.one(format, resource, etag));
  }

  function respondWithChange(ctx: RouterContext, result: ChangeResult<Resource>): void {
    setChangeHeaders(ctx, result);
    respondWith(ctx, result.answer);
  }

  return {
    async list(ctx: RouterContext) {
      const all = await cases.list(getViewer(ctx));
      const tags = { toTag: (item: Resource) => `${item.id}${toTag(item)}`, toVersion: toTag };
      deps.collection.respond(ctx, baseUrl, all, tags);
    },
    add:
      add &&
      parseNew &&
      (async (ctx: RouterContext) => {
        const input = parseNew(await readBody(ctx, singular));
        const result = await add(getViewer(ctx), input, toRepeatableRequests(ctx, input));
        ctx.status = 201;
        ctx.set('Location', `${baseUrl}/${singular}/${result.answer.id}.${ctx.state.format}`);
        respondWithChange(ctx, result);
      }),
    async fetchOne(ctx: RouterContext) {
      respondWith(ctx, await cases.get(getViewer(ctx), readId(ctx)));
    },
    async edit(ctx: RouterContext) {
      const parsed = edits.parseEdit(await readBody(ctx, singular));
      respondWithChange(ctx, await cases.change(toChange(ctx, parsed.edit), parsed.toContent));
    },
    async patch(ctx: RouterContext) {
      const given = await readMergePatch(ctx);
      respondWithChange(ctx, await cases.change(toChange(ctx, given), edits.readPatch(given)));
    },
    remove:
      remove &&
      (async (ctx: RouterContext) => {
        const parameters = readDeleteParameters(ctx.querystring);
        const isPlain = Object.keys(parameters).length === 0;
        respondWithChange(ctx, await remove(toChange(ctx, isPlain ? null : parameters), parameters));
      }),
  };
}

/** Names a handler after its operation, because the contract finds it by this name. */
function named<Handler extends object>(name: string, handler: Handler): Handler {
  return Object.defineProperty(handler, 'name', { value: name });
}
