import { problemTypes } from '../../wire/format.ts';
import type {
  Content,
  LinkObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  PathItem,
  RequestBodyObject,
  ResponseObject,
} from './document.ts';
import { nameObjects } from './name-objects.ts';
import { describeDefault, toPlainSchema } from './to-plain-schema.ts';

const SUFFIX = '.{format}';

/** Media types of the JSON document: one per body, so that a generated client has no choice to make. */
const jsonTypes: ReadonlySet<string> = new Set(['application/json', problemTypes.json]);

/**
 * Reduces the full document to JSON over paths that end in `.json`, which suits client generators: one media type per body,
 * no format parameter, no HEAD, OPTIONS or event stream.
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
