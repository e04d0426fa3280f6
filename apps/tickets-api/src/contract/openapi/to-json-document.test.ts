import { describe, expect, test } from 'vitest';
import { operations } from '../operations.ts';
import { createDocument, createJsonDocument } from './create-document.ts';
import type { OperationObject, PathMethod, WireSchema } from './document.ts';

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
const document = createJsonDocument(createDocument(operations, options));
const text = JSON.stringify(document);

function listOperations(): OperationObject[] {
  return Object.values(document.paths).flatMap(({ parameters: _, ...item }) => Object.values(item));
}

describe('the JSON document', () => {
  test('has every operation under its id, on a path that ends in .json', () => {
    const described = Object.entries(document.paths).flatMap(([path, { parameters: _, ...item }]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    const expected = operations.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}.json`);
    expect(described.sort()).toEqual(expected.sort());
  });

  test('has one media type for each body and no format parameter', () => {
    const contents = [
      ...listOperations().map(({ requestBody }) => requestBody?.content),
      ...listOperations().flatMap(({ responses }) =>
        Object.values(responses).map((each) => ('content' in each ? each.content : undefined)),
      ),
      ...Object.values(document.components.responses).map(({ content }) => content),
    ];
    const types = contents.flatMap((content) => (content ? [Object.keys(content).join()] : []));
    expect(new Set(types)).toEqual(new Set(['application/json', 'application/problem+json']));
    expect(text).not.toContain('{format}');
    expect(text).not.toContain('request.path.format');
    expect(text).not.toMatch(/"xml":|\/xml/);
  });

  test('has exactly the components that are referred to', () => {
    const referenced = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name),
    );
    const { securitySchemes: _, ...components } = document.components;
    const present = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    expect(new Set(present)).toEqual(referenced);
  });

  test('describes each operation like the full document', () => {
    const full = createDocument(operations, options);
    for (const { id, method, path } of operations) {
      const word = method.toLowerCase() as PathMethod;
      const [inJson, inFull] = [
        document.paths[`${path}.json`]?.[word],
        full.paths[`${path}.{format}`]?.[word],
      ];
      expect(inJson?.summary, id).toBe(inFull?.summary);
      expect(inJson?.parameters?.map(({ name }) => name)).toEqual(
        inFull?.parameters?.map(({ name }) => name),
      );
      expect(Object.keys(inJson?.responses ?? {})).toEqual(Object.keys(inFull?.responses ?? {}));
      expect(inJson?.requestBody === undefined).toBe(inFull?.requestBody === undefined);
    }
  });

  test('names every object schema, so that generators create one type for equal schemas', () => {
    const inner = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      listParts(schema, name).slice(1),
    );
    const unnamed = inner.filter(({ part }) => part.properties).map(({ path }) => path);
    expect(unnamed, 'give each a title with .meta({ title })').toEqual([]);
    expect(document.components.schemas.Ticket?.properties?.requester).toEqual({
      description: 'Person who needs help',
      anyOf: [{ $ref: '#/components/schemas/PersonReference' }, { type: 'null' }],
    });
  });

  test('has no names that collide with those of Go and Python generators', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => /^New[A-Z]|Form$|Null/.test(name))).toEqual([]);
    const written = operations.flatMap(({ body }) => (body && 'resource' in body ? body.resource.name : []));
    for (const name of written) expect(name).toMatch(/(Create|Update|Merge|Add)$/);
    // Generators name the enumeration of a member after schema and member.
    const enumerated = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { enum: words, anyOf = [] }]) => words ?? anyOf.some((each) => each.enum))
        .map(([member]) => `${name}_${member}`.replace(/_(.)/g, (_, letter) => letter.toUpperCase())),
    );
    expect(enumerated).toContain('TicketCreateChannel');
    expect(enumerated.filter((name) => names.includes(name))).toEqual([]);
  });

  test('describes defaults in text instead of the keyword', () => {
    expect(text).not.toContain('"default":');
    expect(document.components.schemas.TicketCreate?.properties?.channel?.description).toBe(
      'Channel by which the ticket was submitted; default: `api`',
    );
  });

  test('has no unions of strings and no combined patterns', () => {
    const schemas = [
      ...Object.values(document.components.schemas),
      ...listOperations().flatMap(({ parameters = [] }) => parameters.map(({ schema }) => schema)),
    ];
    for (const { part, path } of schemas.flatMap((schema) => listParts(schema, ''))) {
      expect(part.allOf, path).toBeUndefined();
      expect(part.anyOf?.every(({ type }) => type === 'string') ?? false, path).toBe(false);
    }
    const { pattern = '' } = document.components.schemas.TicketCreate?.properties?.subject ?? {};
    expect(['x', ' y '].every((subject) => new RegExp(pattern, 'u').test(subject))).toBe(true);
    expect([' ', 'x\u0000'].some((subject) => new RegExp(pattern, 'u').test(subject))).toBe(false);
  });

  test.each([
    [
      'due_at[gte]',
      ['2026-01-31', '2026-01-31T09:00:00Z', '2026-01-31T09:00:00.5+01:00', '-7d', 'now'],
      ['', 'soon', '2026-02-30', '2026-01-31T09:00:00', '7d ', ' now'],
    ],
    [
      'assignee',
      ['me', 'ada@example.com', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'],
      ['', 'you', 'me ', 'ada@'],
    ],
  ])('has one anchored pattern for %s', (parameter, good, bad) => {
    const { parameters = [] } = document.paths['/tickets.json']?.get ?? {};
    const schema: WireSchema = parameters.find(({ name }) => name === parameter)?.schema ?? {};
    const { pattern = '' } = schema.items ?? schema;
    expect(pattern).toMatch(/^\^.*\$$/s);
    expect(good.filter((text) => !new RegExp(pattern, 'u').test(text))).toEqual([]);
    expect(bad.filter((text) => new RegExp(pattern, 'u').test(text))).toEqual([]);
  });
});

/** Returns a schema and all schemas in it. */
function listParts(part: WireSchema, path: string): { part: WireSchema; path: string }[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = part;
  const inner: [string, WireSchema | undefined][] = [
    ...Object.entries(properties),
    ['items', items],
    ['*', typeof additionalProperties === 'object' ? additionalProperties : undefined],
    ...anyOf.map((each, i): [string, WireSchema] => [String(i), each]),
  ];
  return [
    { part, path },
    ...inner.flatMap(([name, each]) => (each ? listParts(each, `${path}.${name}`) : [])),
  ];
}
