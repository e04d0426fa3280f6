import type { Config } from '../../config.ts';
import { headers } from '../headers.ts';
import { type Operation, tags } from '../operation.ts';
import { API_VERSION } from '../version.ts';
import { toComponentSchemas } from './components.ts';
import type { OpenApiDocument, PathItem, PathMethod, ResponseObject, SecurityScheme } from './document.ts';
import { toHead, toOperationObject, toOptions, toStreamHead, toStreamObject } from './operation-object.ts';
import { toPathParameters } from './parameters.ts';
import { toProblemResponses } from './problem-responses.ts';
import { toJsonDocument } from './to-json-document.ts';

/** Settings of the installation that the document describes. */
export type ContractOptions = Pick<Config, 'baseUrl' | 'issuer' | 'rateLimitStatus'>;

const resources = 'A singular path addresses one resource, a plural one a collection.';

const aboutAnswers = `\
Unknown fields and parameters are rejected with 400, never ignored, and \`errors\` lists every fault \
at once. New members may be added to responses at any time.`;

const about = `\
${resources} The suffix of the path selects the format of the response, \`.json\` or \`.xml\`; without a suffix, the \
\`Accept\` header does. The format of a request body is given by its \`Content-Type\`, whatever the suffix. \`/openapi.json\` \
describes the API in JSON only; generate clients from it.

XML mirrors JSON: an array is a wrapper element with singular children, present even if empty, \`nil="true"\` is null, and a map is a \
list of \`<field key="…">\`, whose \`type\` is \`number\`, \`boolean\` or \`array\`; without it the value is text. In requests, the \
order of elements does not matter. \`/schema.xsd\` describes the XML of responses.

${aboutAnswers}`;

const aboutJson = `\
${resources} This document describes the API in JSON. \`/openapi-full.json\` describes the full API: paths without a suffix, \
XML, form bodies, the stream of changes, HEAD and OPTIONS.

${aboutAnswers}`;

const scopeDescriptions: Readonly<Record<string, string>> = {
  'tickets:read': 'Read tickets',
  'tickets:write': 'Add and edit tickets',
  'tickets:delete': 'Delete tickets',
};

/** Creates the OpenAPI 3.1 document for generating clients: JSON only, over paths that end in `.json`. */
export function createJsonDocument(document: OpenApiDocument): OpenApiDocument {
  return toJsonDocument(document, aboutJson);
}

/** Creates the OpenAPI 3.1 document of all formats, from the schemas that validate requests and write responses. */
export function createDocument(
  operations: readonly Operation[],
  { baseUrl, issuer, rateLimitStatus }: ContractOptions,
): OpenApiDocument {
  const byPath = [...Map.groupBy(operations, ({ path }) => path)];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Keydesk API',
      version: API_VERSION,
      description: about,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    externalDocs: { url: `${baseUrl}/docs`, description: 'Guides and an interactive reference' },
    security: [],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: {
      ...Object.fromEntries(
        byPath.map(([path, members]) => [`${path}.{format}`, toPathItem(members, rateLimitStatus)]),
      ),
      ...Object.fromEntries(operations.flatMap((operation) => toStreams(operation, rateLimitStatus))),
    },
    components: {
      schemas: toComponentSchemas(operations),
      responses: toResponseComponents(operations, rateLimitStatus),
      headers,
      securitySchemes: { oauth2: toSecurityScheme(operations, issuer) },
    },
  };
}

function toPathItem(operations: readonly Operation[], rateLimitStatus: number): PathItem {
  const [first] = operations;
  if (!first) return { parameters: [] };
  const item: PathItem = { parameters: toPathParameters(first) };
  for (const operation of operations) {
    item[operation.method.toLowerCase() as PathMethod] = toOperationObject(operation, rateLimitStatus);
    if (operation.method === 'GET') item.head = toHead(operation, rateLimitStatus);
  }
  return { ...item, options: toOptions(first) };
}

/** Creates the path item of an event stream. It needs a path of its own, because OpenAPI cannot select by `Accept`. */
function toStreams(operation: Operation, rateLimitStatus: number): [string, PathItem][] {
  const { path, stream } = operation;
  if (!stream) return [];
  const get = toStreamObject(operation, stream, rateLimitStatus);
  return [[path, { parameters: [], get, head: toStreamHead(operation, stream, rateLimitStatus) }]];
}

function toResponseComponents(operations: readonly Operation[], rateLimitStatus: number) {
  const responses = operations.flatMap((operation) => toProblemResponses(operation, rateLimitStatus));
  return Object.fromEntries(
    responses.map(({ name, response }): [string, ResponseObject] => [name, response]),
  );
}

function toSecurityScheme(operations: readonly Operation[], issuer: string): SecurityScheme {
  const named = operations.map(({ scope }) => [scope, scopeDescriptions[scope] ?? scope]);
  const scopes: Readonly<Record<string, string>> = Object.fromEntries(named);
  const server = issuer.replace(/\/$/, '');
  const tokenUrl = `${server}/token`;
  return {
    type: 'oauth2',
    description:
      'Access tokens of the authorization server, sent as `Authorization: Bearer …` (RFC 6750). A sender-constrained token is sent as `Authorization: DPoP …` with a proof in `DPoP` (RFC 9449).',
    flows: {
      clientCredentials: { tokenUrl, scopes },
      authorizationCode: { authorizationUrl: `${server}/auth`, tokenUrl, refreshUrl: tokenUrl, scopes },
    },
  };
}
