import { problemTypes } from '../../wire/output/format.ts';
import {
  type Content,
  type LinkObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type RequestBodyObject,
  type ResponseObject,
  schemaReference,
  type WireSchema,
} from './document.ts';
import { joinForms, joinPatterns } from './join-patterns.ts';

const SUFFIX = '.{format}';

/** Media types of the JSON document: one per body, so that a generated client has no choice to make. */
const jsonTypes: ReadonlySet<string> = new Set(['application/json', problemTypes.json]);

/**
 * Reduces the full document to JSON over paths that end in `.json`, which suits client generators: one media type per
 * body, no format parameter, no HEAD, OPTIONS or event stream.
 */
export function toJsonDocument(document: OpenApiDocument, description: string): OpenApiDocument {
  const paths = Object.entries(document.paths).filter(([path]) => path.endsWith(SUFFIX));
  const responses = mapValues(document.components.responses, toJsonResponse);
  const reduced = pickReferenced({
    ...document,
    info: { ...document.info, description },
    paths: Object.fromEntries(
      paths.map(([path, item]) => [path.replace(SUFFIX, '.json'), toJsonPathItem(item)]),
    ),
    components: { ...document.components, responses },
  });
  const schemas = nameObjects(mapValues(reduced.components.schemas, toPlainSchema));
  return { ...reduced, components: { ...reduced.components, schemas } };
}

function toJsonPathItem({ parameters, head: _, options: __, ...operations }: PathItem): PathItem {
  return {
    parameters: parameters.filter(({ name }) => name !== 'format').map(toJsonParameter),
    ...mapValues(operations, toJsonOperation),
  };
}

function toJsonOperation({
  parameters,
  requestBody,
  responses,
  ...operation
}: OperationObject): OperationObject {
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map(toJsonParameter) }),
    ...(requestBody && { requestBody: toJsonBody(requestBody) }),
    responses: mapValues(responses, (response) => ('$ref' in response ? response : toJsonResponse(response))),
  };
}

function toJsonParameter(parameter: ParameterObject): ParameterObject {
  const description = describeDefault(parameter.description, parameter.schema.default);
  return {
    ...parameter,
    ...(description !== undefined && { description }),
    schema: toPlainSchema({ ...parameter.schema, default: undefined }),
  };
}

function toJsonBody({ content, ...body }: RequestBodyObject): RequestBodyObject {
  return { ...body, content: toJsonContent(content) };
}

function toJsonResponse({ content, links, ...response }: ResponseObject): ResponseObject {
  return {
    ...response,
    ...(content && { content: toJsonContent(content) }),
    ...(links && { links: mapValues(links, toJsonLink) }),
  };
}

function toJsonLink({ parameters: { format: _, ...parameters }, ...link }: LinkObject): LinkObject {
  return { ...link, parameters };
}

function toJsonContent(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([type]) => jsonTypes.has(type)));
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

const reference = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** Drops the components that no path refers to. */
function pickReferenced(document: OpenApiDocument): OpenApiDocument {
  const { components, paths } = document;
  const reached = new Set<string>();
  const pending: unknown[] = [paths];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(reference)) {
      if (reached.has(`${kind}/${name}`)) continue;
      reached.add(`${kind}/${name}`);
      const ofKind: Readonly<Record<string, unknown>> = components[kind as keyof typeof components];
      pending.push(ofKind[name]);
    }
  }
  const pick = <Part>(kind: string, parts: Readonly<Record<string, Part>>) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => reached.has(`${kind}/${name}`)));
  return {
    ...document,
    components: {
      ...components,
      schemas: pick('schemas', components.schemas),
      responses: pick('responses', components.responses),
      headers: pick('headers', components.headers),
    },
  };
}

type Schemas = Record<string, WireSchema>;

/**
 * Moves inner schemas that have a title to the components and refers to them. Generators then create one type for equal
 * schemas in different places.
 *
 * @throws {Error} when two different schemas have the same title
 */
function nameObjects(schemas: Readonly<Schemas>): Schemas {
  const named = new Map<string, WireSchema>();

  function add(name: string, schema: WireSchema): void {
    const other = named.get(name);
    if (other && withoutTexts(other) !== withoutTexts(schema)) {
      throw new Error(`Two different schemas are named ${name}; rename one of them.`);
    }
    if (!other) named.set(name, schema);
  }

  function nameInner(schema: WireSchema): WireSchema {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, refer(member)]),
        ),
      }),
      ...(items && { items: refer(items) }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: refer(additionalProperties) }),
      ...(anyOf && { anyOf: anyOf.map(refer) }),
    };
  }

  function refer(schema: WireSchema): WireSchema {
    const { title, description, readOnly, ...rest } = nameInner(schema);
    if (title === undefined) return nameInner(schema);
    const isNullable = Array.isArray(rest.type) && rest.type.includes('null');
    add(title, { ...rest, ...(isNullable && { type: 'object' }) });
    const reference = { $ref: schemaReference(title) };
    const annotations = { ...(description !== undefined && { description }), ...(readOnly && { readOnly }) };
    return isNullable
      ? { ...annotations, anyOf: [reference, { type: 'null' }] }
      : { ...annotations, ...reference };
  }

  for (const [name, schema] of Object.entries(schemas)) add(name, nameInner(schema));
  return Object.fromEntries(named);
}

function withoutTexts({ title: _, description: __, ...schema }: WireSchema): string {
  return JSON.stringify(Object.entries(schema).sort(([one], [other]) => one.localeCompare(other)));
}

/**
 * Simplifies a schema for client generators, which create a type for every union and send every default.
 *
 * Removes XML annotations, moves defaults to descriptions, and merges unions and patterns of strings into one pattern.
 * A nullable enumeration becomes a union, so that null is not an enumeration value. Numbers become doubles, as in JSON.
 */
function toPlainSchema(schema: WireSchema): WireSchema {
  const { xml: _, default: __, anyOf, allOf: ___, pattern: ____, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  const description = describeDefault(schema.description, schema.default);
  const pattern = joinPatterns(schema);
  const plain: WireSchema = {
    ...rest,
    ...(pattern !== undefined && { pattern }),
    ...(rest.type === 'number' && { format: 'double' }),
    ...(description !== undefined && { description }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, toPlainSchema(member)]),
      ),
    }),
    ...(items && { items: toPlainSchema(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: toPlainSchema(additionalProperties),
    }),
  };
  if (!anyOf) return separateNull(plain);
  if (!anyOf.every(({ type }) => type === 'string')) return { ...plain, anyOf: anyOf.map(toPlainSchema) };
  const forms = joinForms(anyOf);
  return { ...plain, type: 'string', ...(forms !== undefined && { pattern: forms }) };
}

/** Appends the default to a description, unless the default is null or empty. */
function describeDefault(description: string | undefined, fallback: unknown): string | undefined {
  const words = JSON.stringify(fallback);
  if (words === undefined || ['null', '""', '[]', '{}'].includes(words)) return description;
  const note = `default: \`${typeof fallback === 'string' ? fallback : words}\``;
  return description === undefined ? note : `${description}; ${note}`;
}

function separateNull(schema: WireSchema): WireSchema {
  const { type, enum: words, description, readOnly, examples, ...rest } = schema;
  if (!words?.includes(null) || !Array.isArray(type)) return schema;
  const [kind] = type;
  return {
    ...(description !== undefined && { description }),
    ...(readOnly && { readOnly }),
    ...(examples && { examples }),
    anyOf: [{ ...rest, type: kind, enum: words.filter((word) => word !== null) }, { type: 'null' }],
  };
}
