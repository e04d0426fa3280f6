import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import { z } from 'zod';
import { idPattern } from '../../helpdesk/definitions/defined-id.ts';
import {
  type DefinitionKind,
  kindNames,
  MAX_DEFINITIONS,
  MAX_POSITION,
  statusCategories,
} from '../../helpdesk/definitions/definition.ts';
import {
  type DefinitionView,
  resourceSchemas,
  toDefinitionTag,
} from '../../helpdesk/definitions/definition-view.ts';
import type { Definitions } from '../../helpdesk/definitions/definitions.ts';
import {
  createDefinitionEdits,
  type NewDefinition,
  type ToContent,
} from '../../helpdesk/definitions/edits.ts';
import { createRenderer, type Renderer } from '../../wire/output/renderer.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import type { Route } from '../http/routes.ts';
import { createWholeList, type WholeList } from '../lists/whole-list.ts';
import { createResourceRoutes, type ResourceEdits } from './resource-routes.ts';

export interface DefinitionRoutesDeps {
  definitions: Definitions;
  kind: DefinitionKind;
  /** Base of links. */
  baseUrl: string;
}

/** Query parameters of `DELETE /ticket_status/{id}` and of the other kinds. */
export const removalParametersSchema = z.object({
  replace_with: z.string().min(1).max(64).optional().meta({
    pattern: idPattern.source,
    description:
      'The `id` of the definition that replaces this one on tickets; a status must be of the same category',
  }),
});

/** Names in the ids of operations. */
export const operationNames = {
  status: { one: 'TicketStatus', all: 'TicketStatuses' },
  type: { one: 'TicketType', all: 'TicketTypes' },
  priority: { one: 'TicketPriority', all: 'TicketPriorities' },
} as const satisfies Record<DefinitionKind, object>;

const renderers = {
  status: createKindRenderer('status'),
  type: createKindRenderer('type'),
  priority: createKindRenderer('priority'),
};

/** The lists of each kind. */
export const definitionLists: Readonly<Record<DefinitionKind, WholeList<DefinitionView>>> = {
  status: createDefinitionList('status'),
  type: createDefinitionList('type'),
  priority: createDefinitionList('priority'),
};

function createKindRenderer(kind: DefinitionKind): Renderer<DefinitionView> {
  const { singular, plural } = kindNames[kind];
  const schema = resourceSchemas[kind] as unknown as z.ZodType<DefinitionView>;
  return createRenderer({ schema, singular, plural });
}

function createDefinitionList(kind: DefinitionKind): WholeList<DefinitionView> {
  const { singular, plural } = kindNames[kind];
  return createWholeList<DefinitionView>({
    owner: { list: plural, operation: `list${operationNames[kind].all}` },
    schema: withEtag(resourceSchemas[kind]),
    singular,
    plural,
    identity: 'id',
    renderer: renderers[kind],
    max: MAX_DEFINITIONS,
    sortField: (kind === 'priority' ? 'rank' : 'position') as 'id',
    uniqueField: 'id',
    toOrder,
  });
}

/** Returns the sort key of a definition; statuses are sorted by category first. */
function toOrder(view: DefinitionView, field: string): string | number {
  if (field === 'id') return view.id;
  if ('rank' in view) return view.rank;
  const category = 'category' in view ? statusCategories.indexOf(view.category) : 0;
  return category * (MAX_POSITION + 1) + view.position;
}

/** Creates the routes `/ticket_statuses` and `/ticket_status/{id}`, or those of types or priorities. */
export function createDefinitionRoutes(deps: DefinitionRoutesDeps): readonly Route[] {
  const { definitions, kind, baseUrl } = deps;
  const { singular, plural } = kindNames[kind];
  return createResourceRoutes<DefinitionView, NewDefinition, ToContent>({
    baseUrl,
    singular,
    plural,
    operation: operationNames[kind],
    renderer: renderers[kind],
    collection: definitionLists[kind],
    toTag: toDefinitionTag,
    readId: (ctx) => readDefinitionId(ctx, kind),
    cases: definitions,
    edits: createEdits(kind),
    deleteParameters: removalParametersSchema,
  });
}

function createEdits(kind: DefinitionKind): ResourceEdits<NewDefinition, ToContent> {
  const edits = createDefinitionEdits(kind);
  return {
    parseNew: edits.parseNew,
    parseEdit(body) {
      const edit = edits.parseEdit(body);
      return { edit, toContent: (view) => edits.toContent(view, edit) };
    },
    readPatch: (patch) => (view) => edits.toPatchedContent(view, patch),
  };
}

function readDefinitionId({ params }: Pick<RouterContext, 'params'>, kind: DefinitionKind): string {
  const id = params.id ?? '';
  if (idPattern.test(id)) return id;
  throw new AppError('not_found', `There is no ${kindNames[kind].noun} with this id.`);
}
