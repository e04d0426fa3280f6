import type Router from '@koa/router';
import type { Middleware } from 'koa';
import type { TicketWriter } from '../../helpdesk/commit/ticket-writer.ts';
import { createCountUsers } from '../../helpdesk/definitions/count-users.ts';
import { definitionKinds } from '../../helpdesk/definitions/definition.ts';
import type { DefinitionCatalogue } from '../../helpdesk/definitions/definition-catalogue.ts';
import { createDefinitions } from '../../helpdesk/definitions/definitions.ts';
import { createReplacement } from '../../helpdesk/definitions/replacement.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import { createDefinitionRoutes } from './routes.ts';

export interface DefinitionRouterDeps {
  storage: Pick<Storage, 'definitions' | 'tickets'>;
  writer: TicketWriter;
  catalogue: DefinitionCatalogue;
  now: () => Date;
  newId: () => string;
  /** Base of links. */
  baseUrl: string;
  /** Runs before every route: it sets `ctx.state.caller` and `ctx.state.viewer`. */
  guard: Middleware;
}

/** Creates the routes of statuses, types and priorities. */
export function createDefinitionRouters(deps: DefinitionRouterDeps): Router[] {
  const { storage, writer, catalogue, now, newId, baseUrl, guard } = deps;
  const { definitions: store, tickets } = storage;
  const replacement = createReplacement({ store, tickets, writer, catalogue, now, newId });
  const shared = { store, catalogue, replacement, countUsers: createCountUsers(tickets), now, newId };
  return definitionKinds.map((kind) =>
    createDefinitionRoutes({ kind, baseUrl, guard, definitions: createDefinitions({ kind, ...shared }) }),
  );
}
