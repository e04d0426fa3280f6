import { problemTypes } from '../../formats/format.ts';
import type {
  Content,
  LinkObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  PathItem,
  RequestBodyObject,
  ResponseObject,
  WireSchema,
} from './document.ts';
import { pickReferenced } from './pick-referenced.ts';

const SUFFIX = '.{format}';

/** Media types of the JSON document: one for each body, so that a generated client has nothing to choose. */
const jsonTypes: ReadonlySet<string> = new Set(['application/json', problemTypes.json]);

/**
 * Reduces the full document to JSON over paths that end in `.json`, as generators of clients want it: one media type a
 * body, no parameter for the format, no HEAD, no OPTIONS and no stream.
 */
export function toJsonDocument(document: OpenApiDocument, description: string): OpenApiDocument {
  const paths = Object.entries(document.paths).filter(([path]) => path.endsWith(SUFFIX));
  const { schemas, responses, ...components } = document.components;
  return pickReferenced({
    ...document,
    info: { ...document.info, description },
    paths: Object.fromEntries(
      paths.map(([path, item]) => [path.replace(SUFFIX, '.json'), toJsonPathItem(item)]),
    ),
    components: {
      ...components,
      schemas: mapValues(schemas, withoutXml),
      responses: mapValues(responses, toJsonResponse),
    },
  });
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
  return { ...parameter, schema: withoutXml(parameter.schema) };
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

function withoutXml({ xml: _, ...schema }: WireSchema): WireSchema {
  const { properties, items, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, withoutXml) }),
    ...(items && { items: withoutXml(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withoutXml(additionalProperties),
    }),
    ...(anyOf && { anyOf: anyOf.map(withoutXml) }),
  };
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
