import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Follow } from '../../api/changes/follow.ts';
import type { Waiters } from '../../api/changes/waiters.ts';
import { listParameters } from '../../api/tickets/list-query.ts';
import { createRoutes } from '../../app.ts';
import { loadApiConfig } from '../../config.ts';
import { createTicketQueue } from '../../helpdesk/commit/ticket-queue.ts';
import { statusCategories } from '../../helpdesk/definitions/definition.ts';
import { createHelpdesk } from '../../helpdesk/helpdesk.ts';
import { searchPattern } from '../../helpdesk/search/search-terms.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import { readAnnotatedXml } from '../check/annotated-xml.fixture.ts';
import { createSchemaCheck } from '../check/schema-check.fixture.ts';
import { createComponent } from '../component.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations.ts';
import { createDocument } from './create-document.ts';
import type { MediaType, PathMethod } from './document.ts';

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
const document = createDocument(operations, options);
const { schemas } = document.components;

const now = () => new Date();
const newId = () => '';
const queue = createTicketQueue();
const log = pino({ enabled: false });
const config = loadApiConfig({});
const helpdesk = createHelpdesk({ config, storage: {} as Storage, queue, log, now, newId });

/** All routes of the app. */
const routes = createRoutes(helpdesk, {
  follow: {} as Follow,
  waiters: {} as Waiters,
  baseUrl: options.baseUrl,
  now,
});

describe('the operations', () => {
  test('correspond one to one to routes, whose handlers have their names', () => {
    const declared = operations.map(
      ({ id, method, path }) => [`${method} ${path.replace(/\{\w+\}/g, '{}')}`, id] as const,
    );
    const handlers = routes.map(
      ([method, path, _scope, ...steps]) =>
        [`${method} ${path.replace(/:\w+/g, '{}')}`, steps.at(-1)?.name] as const,
    );
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(handlers));
    expect(handlers).toHaveLength(operations.length);
  });

  test('require the scopes of their routes', () => {
    const scopes = routes.map(([_method, _path, scope, ...steps]) => [steps.at(-1)?.name, scope] as const);
    expect(Object.fromEntries(scopes)).toEqual(
      Object.fromEntries(operations.map(({ id, scope }) => [id, scope])),
    );
  });

  test('are listed by their paths in docs/http-api.md', () => {
    const page = readFileSync(new URL('../../../../../docs/http-api.md', import.meta.url), 'utf8');
    expect(operations.map(({ path }) => path).filter((path) => !page.includes(`${path}.{format}`))).toEqual(
      [],
    );
  });

  test('declare the parameters of their paths', () => {
    for (const { path, pathParameters = {} } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(pathParameters)).toEqual(named);
    }
  });
});

describe('the document', () => {
  test('lists HEAD and OPTIONS among the methods of a path', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/tickets.{format}', '/ticket/{ticket_id}.{format}']),
    );
    expect(Object.keys(document.paths['/tickets.{format}'] ?? {})).toEqual([
      'parameters',
      'get',
      'head',
      'post',
      'options',
    ]);
  });

  test('has a target for every reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, pointer = ''] of references) {
      const target = pointer
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
      expect(target, pointer).toBeDefined();
    }
  });

  test('rejects a component whose schema object is nullable in another one', () => {
    const component = (name: string, schema: z.ZodObject) => createComponent(name, 'x', schema, {});
    const [person, team] = [z.object({}), z.object({})];
    const components = [
      component('Person', person),
      component('Team', team.extend({ lead: person.nullable() })),
    ];
    const [given] = operations as [Operation];
    const answers = components.map((each) => ({ ...given, answer: { ...given.answer, component: each } }));
    expect(() => createDocument(answers, options)).toThrow('Person is nullable somewhere');
  });

  test('has unique operation ids', () => {
    const ids = listOperations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('describes every parameter of the list with its constraints', () => {
    const list = document.paths['/tickets.{format}']?.get?.parameters ?? [];
    const query = list.filter((parameter) => parameter.in === 'query');
    expect(query.map(({ name }) => name)).toEqual([...listParameters, 'custom_fields']);
    expect(query.find(({ name }) => name === 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
    });
  });

  test('closes request schemas and leaves response schemas open', () => {
    expect(schemas.TicketCreate).toMatchObject({ additionalProperties: false, required: ['subject'] });
    expect(schemas.Ticket).not.toHaveProperty('additionalProperties');
  });

  test('marks read-only fields, and makes optional fields of a patch nullable', () => {
    expect(schemas.TicketPatch?.properties).toMatchObject({
      id: { type: 'string', readOnly: true },
      subject: { type: 'string' },
      channel: {
        type: ['string', 'null'],
        enum: ['api', 'web', 'email', 'phone', 'chat', 'mobile', null],
      },
    });
  });

  test('describes statuses, types and priorities as strings and lists the built-in ones', () => {
    const properties = schemas.TicketCreate?.properties;
    for (const [kind, id] of Object.entries({ status: 'hold', type: 'task', priority: 'urgent' })) {
      expect(properties?.[kind]?.enum, kind).toBeUndefined();
      expect(properties?.[kind]?.pattern, kind).toBe('^[a-z][a-z0-9_]{0,63}$');
      expect(properties?.[kind]?.description, kind).toContain(`\`${id}\``);
    }
    expect(schemas.Ticket?.properties?.status_category).toMatchObject({
      readOnly: true,
      enum: statusCategories,
    });
  });

  test('describes immutable visibility of replies, and patterns of options and searches', () => {
    const visibility = { enum: ['public', 'internal'] };
    expect(schemas.ReplyUpdate?.properties?.visibility).toMatchObject({ ...visibility, readOnly: true });
    expect(schemas.ReplyCreate?.properties?.visibility).toMatchObject(visibility);
    expect(schemas.ReplyCreate?.properties?.visibility).not.toHaveProperty('readOnly');
    expect(schemas.TicketFieldCreate?.properties?.options?.items).toMatchObject({ pattern: '\\S' });
    const search = document.paths['/tickets.{format}']?.get?.parameters?.find(({ name }) => name === 'q');
    expect(search?.schema.pattern).toBe(searchPattern);
  });

  test('describes the event stream of changes with its problems, without entity tags', () => {
    const stream = document.paths['/changes']?.get;
    expect(stream?.operationId).toBe('streamChanges');
    expect(stream?.parameters?.map(({ name }) => name)).toEqual(['since', 'resource', 'Last-Event-ID']);
    expect(Object.keys(stream?.responses ?? {})).toEqual(
      Object.keys(document.paths['/changes.{format}']?.get?.responses ?? {}).filter((each) => each !== '304'),
    );
  });

  test('names a required list of a form with brackets', () => {
    expect(schemas.TicketTagsAddForm).toMatchObject({ required: ['tags[]'], properties: { 'tags[]': {} } });
    expect(Object.keys(schemas.TicketCreateForm?.properties ?? {})).not.toContain('followers[]');
  });

  test('describes how filters identify a person', () => {
    const list = document.paths['/tickets.{format}']?.get?.parameters ?? [];
    expect(list.find(({ name }) => name === 'assignee')?.schema.items?.anyOf).toMatchObject([
      { const: 'me' },
      { format: 'uuid' },
      { allOf: [{ pattern: expect.stringContaining('@') }, {}] },
    ]);
  });

  test('uses the configured status for too many requests', () => {
    const other = createDocument(operations, { ...options, rateLimitStatus: 429 });
    const { responses } = other.paths['/tickets.{format}']?.get ?? { responses: {} };
    expect(responses).toHaveProperty('429');
    expect(responses).not.toHaveProperty('421');
  });
});

describe('examples of the document', () => {
  const check = createSchemaCheck(schemas);
  const media = listMedia();
  const examplesOf = ({ example, examples = {} }: MediaType) => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ];

  test('exist for every media type', () => {
    expect(new Set(media.map(({ type }) => type)).size).toBeGreaterThan(6);
    for (const { type, media: each } of media) expect(examplesOf(each), type).not.toEqual([]);
  });

  test('match their schemas', () => {
    for (const { type, media: each } of media) {
      for (const example of examplesOf(each)) {
        const value = type.includes('xml')
          ? readAnnotatedXml(String(example), each.schema, schemas)
          : example;
        expect(check(each.schema, value), `${type} ${JSON.stringify(example)}`).toEqual([]);
      }
    }
  });
});

function listOperations() {
  const methods: PathMethod[] = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'];
  return Object.values(document.paths).flatMap((item) =>
    methods.flatMap((method) => (item[method] ? [{ method, operation: item[method] }] : [])),
  );
}

function listMedia(): { type: string; media: MediaType }[] {
  const responses = listOperations().flatMap(({ operation }) => Object.values(operation.responses));
  const contents = [
    ...listOperations().map(({ operation }) => operation.requestBody?.content),
    ...[...responses, ...Object.values(document.components.responses)].map((response) =>
      'content' in response ? response.content : undefined,
    ),
  ];
  return contents.flatMap((content) =>
    Object.entries(content ?? {}).map(([type, each]) => ({ type, media: each })),
  );
}
