import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { definitionLists, operationNames, removalParametersSchema } from '../../api/definitions/routes.ts';
import { idPattern } from '../../helpdesk/definitions/defined-id.ts';
import {
  type DefinitionKind,
  definitionKinds,
  kindNames,
  MAX_DEFINITIONS,
} from '../../helpdesk/definitions/definition.ts';
import { newSchemas, resourceSchemas } from '../../helpdesk/definitions/definition-view.ts';
import { editSchemas } from '../../helpdesk/definitions/edits.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { type Component, createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';

/** OpenAPI tag of these operations. */
const tag = 'definitions';

const written = {
  status: {
    title: 'In review',
    titles: { de: 'In Prüfung' },
    position: 10,
    hidden: false,
    transitions: ['open', 'solved'],
  },
  type: { title: 'Change', titles: { de: 'Änderung' }, position: 50, hidden: false },
  priority: { title: 'Critical', titles: { de: 'Kritisch' }, rank: 50, hidden: false },
} as const;
const identities = {
  status: { id: 'in_review', category: 'pending' },
  type: { id: 'change' },
  priority: { id: 'critical' },
} as const;
const readOnlyMembers = {
  built_in: false,
  replaced_by: null,
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 1,
  etag: '"1-9f3a2c41d7-json"',
};

const cached = ['ETag', 'Cache-Control'] as const;
const remarks: Readonly<Record<DefinitionKind, string>> = {
  status:
    ' A status has one of six categories (`new`, `open`, `pending`, `hold`, `solved`, `closed`), which never changes. The category determines the workflow; `transitions` restricts it further.',
  type: '',
  priority: ' Tickets are sorted by `rank`.',
};

function createComponents(kind: DefinitionKind) {
  const { one } = operationNames[kind];
  const { singular } = kindNames[kind];
  const content = { ...identities[kind], ...written[kind] };
  const answered = {
    ...content,
    ...(kind === 'status' && { can_become: ['open', 'solved'] }),
    ...readOnlyMembers,
  };
  const edit = { title: written[kind].title, titles: { de: null, fr: 'Titre' } };
  const put = { title: 'Renamed', titles: { fr: 'Nouveau titre' } };
  return {
    resource: createComponent(one, singular, withEtag(resourceSchemas[kind]), answered),
    listed: createComponent(`${one}ListItem`, singular, definitionLists[kind].schema, answered),
    added: createComponent(`${one}Create`, singular, newSchemas[kind], content),
    edited: createComponent(`${one}Update`, singular, editSchemas[kind], put),
    patched: { ...createComponent(`${one}Patch`, singular, editSchemas[kind], put), example: edit },
  };
}

type Components = ReturnType<typeof createComponents>;

function createOperations(kind: DefinitionKind): readonly Operation[] {
  const components = createComponents(kind);
  return [
    ...createCollectionOperations(kind, components),
    ...createEditOperations(kind, components),
    createRemoval(kind, components),
  ];
}

function createCollectionOperations(
  kind: DefinitionKind,
  { resource, listed, added }: Components,
): readonly Operation[] {
  const { noun, nouns, plural } = kindNames[kind];
  const { one, all } = operationNames[kind];
  const collection = { tag, path: `/${plural}` } as const;
  return [
    {
      id: `list${all}`,
      method: 'GET',
      ...collection,
      summary: `Fetch the ${nouns} of tickets`,
      description: `Returns all built-in and custom ${nouns}, hidden ones included, on one page in order unless \`limit\` or \`sort\` is given.${remarks[kind]}`,
      scope: scopes.read,
      query: definitionLists[kind].parametersSchema,
      conditional: 'If-None-Match',
      answer: {
        status: 200,
        description: `The ${nouns}`,
        component: createPage(listed, plural, { name: `${one}Page`, hasTotal: true }),
        headers: [...cached, 'Link'],
      },
      problems: ['validation_failed'],
    },
    {
      id: `add${one}`,
      method: 'POST',
      ...collection,
      summary: `Add a ${noun}`,
      description: `For administrators. The ${noun} is available to tickets within a second, in every process. Limited to ${MAX_DEFINITIONS} ${nouns}, built-in ones included; one more gets 409, and so does an \`id\` in use.${remarks[kind]}`,
      scope: scopes.write,
      isRepeatable: true,
      body: { resource: added },
      answer: {
        status: 201,
        description: `The created ${noun}`,
        component: resource,
        headers: [...cached, 'Location'],
        links: [
          {
            parameters: { [`${kind}_id`]: '/id' },
            operationIds: [`fetch${one}`, `edit${one}`, `patch${one}`, `delete${one}`],
          },
        ],
      },
      problems: ['conflict'],
    },
  ];
}

function createEditOperations(
  kind: DefinitionKind,
  { resource, edited, patched }: Components,
): readonly Operation[] {
  const { noun } = kindNames[kind];
  const { one } = operationNames[kind];
  const member = toMember(kind, resource);
  const change = { scope: scopes.write, isRepeatable: true, problems: ['conflict'] } as const;
  return [
    {
      id: `fetch${one}`,
      method: 'GET',
      ...member,
      summary: `Fetch one ${noun}`,
      scope: scopes.read,
      conditional: 'If-None-Match',
      answer: { status: 200, description: `The ${noun}`, component: resource, headers: cached },
    },
    {
      id: `edit${one}`,
      method: 'PUT',
      ...member,
      summary: `Edit a ${noun}`,
      description: `For administrators. Replaces the given members and keeps the others; read-only members may be sent back unchanged. ${toHidingRule(kind)}`,
      ...change,
      conditional: { header: 'If-Match', current: resource },
      body: { resource: edited },
      answer: { status: 200, description: `The updated ${noun}`, ...toChanged(resource) },
    },
    {
      id: `patch${one}`,
      method: 'PATCH',
      ...member,
      summary: `Change parts of a ${noun}`,
      description: `For administrators. Applies a JSON merge patch (RFC 7396): null resets a member to its default, and removes a title from \`titles\`. ${toHidingRule(kind)}`,
      ...change,
      conditional: { header: 'If-Match', current: resource },
      body: { patchOf: patched, required: kind === 'priority' ? ['title', 'rank'] : ['title'] },
      answer: { status: 200, description: `The updated ${noun}`, ...toChanged(resource) },
    },
  ];
}

function createRemoval(kind: DefinitionKind, { resource }: Components): Operation {
  const { noun, singular } = kindNames[kind];
  return {
    id: `delete${operationNames[kind].one}`,
    method: 'DELETE',
    ...toMember(kind, resource),
    summary: `Remove a ${noun}`,
    description: toRemovalRule(kind, singular),
    scope: scopes.delete,
    query: removalParametersSchema,
    isRepeatable: true,
    conditional: { header: 'If-Match', current: resource },
    answer: { status: 200, description: `The removed ${noun}`, ...toChanged(resource) },
    problems: ['validation_failed', 'conflict', 'in_use'],
  };
}

/** Returns component and headers of the response to a change. */
function toChanged(component: Component) {
  return { component, headers: [...cached, 'Keydesk-Changed'] } as const;
}

function toMember(kind: DefinitionKind, { example }: Component) {
  const { noun, singular } = kindNames[kind];
  const parameter = `${kind}_id`;
  const schema = z
    .string()
    .meta({ pattern: idPattern.source, description: `The \`id\` of the ${noun}`, examples: [example.id] });
  return { tag, path: `/${singular}/{${parameter}}`, pathParameters: { [parameter]: schema } } as const;
}

function toHidingRule(kind: DefinitionKind): string {
  const { noun } = kindNames[kind];
  const rule = `A hidden ${noun} can no longer be chosen; tickets that have it keep it and can be filtered by it.`;
  const defaults = { status: '`new`', priority: '`normal`', type: undefined }[kind];
  return defaults ? `${rule} The default of new tickets, ${defaults}, cannot be hidden.` : rule;
}

function toRemovalRule(kind: DefinitionKind, singular: string): string {
  const { noun } = kindNames[kind];
  const condition = kind === 'status' ? ' of the same category' : '';
  return `For administrators. A built-in ${noun} cannot be removed and gets 409. One that tickets have gets 409 \`in_use\`, with the number of \`tickets\`; \`replace_with\` gives them another ${noun}${condition} first. From then on the ${noun} can no longer be chosen, and \`replaced_by\` names the other one until all tickets have been changed, each with an event, a new version and an entry in the change feed. The request changes up to 1,000 tickets; the rest follows within minutes. Afterwards \`GET /${singular}/{id}\` returns 404.`;
}

/** Operations on statuses, types and priorities. */
export const definitionOperations: readonly Operation[] = definitionKinds.flatMap(createOperations);
