import { patchTypes, resourceTypes } from '../../wire/input/request-body.ts';
import { contentTypes } from '../../wire/output/format.ts';
import type { Component, Example } from '../component.ts';
import { toHeaders } from '../headers.ts';
import type { Answer, AnswerLinks, EventStream, Operation, RequestBody } from '../operation.ts';
import { referTo, referToForm } from './components.ts';
import { toFormSchema } from './derived-schemas.ts';
import type {
  Content,
  LinkObject,
  MediaType,
  OperationObject,
  RequestBodyObject,
  ResponseObject,
} from './document.ts';
import { toHeader, toParameters, withDeprecation } from './parameters.ts';
import { oversized, toProblemResponses } from './problem-responses.ts';
import { toWireSchema } from './wire-schema.ts';

/** Creates the OpenAPI object of an operation. */
export function toOperationObject(operation: Operation, rateLimitStatus: number): OperationObject {
  const { body } = operation;
  const problems = toProblemResponses(operation, rateLimitStatus);
  return {
    ...describe(operation),
    ...(body && { requestBody: toRequestBody(body) }),
    responses: {
      ...toAnswers(operation),
      ...Object.fromEntries(problems.map(({ status, name }) => [status, referToResponse(name)])),
    },
  };
}

/** Creates the HEAD of a GET: the same responses without bodies (RFC 9110 §9.3.2). */
export function toHead(operation: Operation, rateLimitStatus: number): OperationObject {
  const problems = toProblemResponses(operation, rateLimitStatus);
  const answers = [
    ...Object.entries(toAnswers(operation)),
    ...problems.map(({ status, response }) => [status, response] as const),
  ];
  return {
    ...describe(operation),
    operationId: `${operation.id}Head`,
    summary: `${operation.summary}: the headers only`,
    responses: Object.fromEntries(
      answers.map(([status, { description, headers }]) => [status, { description, headers }]),
    ),
  };
}

/** Creates the event stream of an operation, which has the same problems. */
export function toStreamObject(
  operation: Operation,
  { example, ...stream }: EventStream,
  rateLimitStatus: number,
): OperationObject {
  const { conditional: _, ...unconditional } = operation;
  const { responses, ...streamed } = toOperationObject({ ...unconditional, ...stream }, rateLimitStatus);
  const { [operation.answer.status]: __, ...failures } = responses;
  const content = { 'text/event-stream': { schema: { type: 'string' }, example } };
  return {
    ...streamed,
    parameters: [...(streamed.parameters ?? []), toHeader('Last-Event-ID')],
    responses: {
      200: { description: 'A stream of events', headers: toHeaders(['Cache-Control']), content },
      ...failures,
    },
  };
}

/** Creates the HEAD of an event stream, which returns at once. */
export function toStreamHead(
  { answer, ...operation }: Operation,
  { example: _, ...stream }: EventStream,
  rateLimitStatus: number,
): OperationObject {
  const { conditional: __, ...unconditional } = operation;
  const events: Answer = { ...answer, description: 'The stream is available', headers: ['Cache-Control'] };
  const head = toHead({ ...unconditional, ...stream, answer: events }, rateLimitStatus);
  return { ...head, parameters: [...(head.parameters ?? []), toHeader('Last-Event-ID')] };
}

/** Creates the OPTIONS of a path. It needs no token, because CORS preflights carry none. */
export function toOptions({ path, tag }: Operation): OperationObject {
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  return {
    operationId: `${words.join('_')}_options`.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    tags: [tag],
    summary: `Methods of ${path}`,
    security: [],
    responses: {
      204: { description: 'The supported methods are in `Allow`', headers: toHeaders(['Allow']) },
      404: referToResponse('not_found'),
      [oversized.status]: referToResponse(oversized.name),
      500: referToResponse('internal_error'),
    },
  };
}

function describe(operation: Operation) {
  const { id, tag, summary, deprecation, scope } = operation;
  const description = withDeprecation(operation);
  const parameters = toParameters(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(deprecation && { deprecated: true as const }),
    security: [{ oauth2: [scope] }],
    ...(parameters.length > 0 && { parameters }),
  };
}

function toAnswers({ conditional, isRepeatable, ...operation }: Operation): Record<string, ResponseObject> {
  const { answer, otherAnswer } = operation;
  const given = [answer, ...(otherAnswer ? [otherAnswer] : [])].map(({ headers, ...each }) => ({
    ...each,
    headers: isRepeatable ? [...headers, 'Idempotency-Replayed' as const] : headers,
  }));
  const answers = Object.fromEntries(given.map((each) => [each.status, toResponse(each)]));
  if (conditional !== 'If-None-Match') return answers;
  const description = 'The cached representation is current';
  return { ...answers, 304: { description, headers: toHeaders(answer.headers) } };
}

function toResponse({ description, component, headers, links }: Answer): ResponseObject {
  const schema = referTo(component);
  return {
    description,
    headers: toHeaders(headers),
    content: {
      [toMediaType(contentTypes.json)]: { schema, example: component.example },
      [toMediaType(contentTypes.xml)]: { schema, example: component.exampleXml },
    },
    ...(links && { links: toLinks(links) }),
  };
}

/** Creates links, whose JSON pointers only apply to responses in JSON. */
function toLinks(links: readonly AnswerLinks[]): Record<string, LinkObject> {
  const entries = links.flatMap(({ parameters, operationIds }) => {
    const pointers = Object.entries(parameters).map(([name, pointer]) => [name, `$response.body#${pointer}`]);
    const expressions = { ...Object.fromEntries(pointers), format: '$request.path.format' };
    return operationIds.map((operationId) => [operationId, { operationId, parameters: expressions }]);
  });
  return Object.fromEntries(entries);
}

function toMediaType(contentType: string): string {
  return contentType.replace(/;.*/, '');
}

function referToResponse(name: string) {
  return { $ref: `#/components/responses/${name}` };
}

/** Creates the request body in every format that the routes accept. */
function toRequestBody(body: RequestBody): RequestBodyObject {
  return { required: true, content: 'patchOf' in body ? toPatch(body.patchOf) : toResource(body.resource) };
}

function toPatch(component: Component): Content {
  const media = { schema: referTo(component), example: component.example };
  return Object.fromEntries(patchTypes.map((type) => [type, media]));
}

function toResource(component: Component): Content {
  const xml = { schema: referTo(component), example: component.exampleXml };
  const media: Record<(typeof resourceTypes)[number], MediaType> = {
    'application/json': { schema: referTo(component), example: component.example },
    'application/xml': xml,
    'text/xml': xml,
    'application/x-www-form-urlencoded': toForm(component),
  };
  return Object.fromEntries(resourceTypes.map((type) => [type, media[type]]));
}

/** Creates the form variant; objects are sent as `name[member]=…`. */
function toForm(component: Component): MediaType {
  const { properties = {} } = toFormSchema(toWireSchema(component.schema, 'input'));
  const objects = Object.keys(properties).filter((name) => properties[name]?.type === 'object');
  const deepObject = { style: 'deepObject', explode: true } as const;
  return {
    schema: referToForm(component),
    example: toFormExample(component.example, (name) => properties[name]?.properties === undefined),
    encoding: Object.fromEntries(objects.map((name) => [name, deepObject])),
  };
}

/** @param isMap whether a member is a map, whose values are texts */
function toFormExample(example: Example, isMap: (name: string) => boolean): Example {
  const members = Object.entries(example).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [[`${name}[]`, value]];
    return [[name, isObject(value) ? toScalars(value, isMap(name)) : value]];
  });
  return Object.fromEntries(members);
}

function toScalars(object: Example, areTexts: boolean): Example {
  const scalars = Object.entries(object).filter(([, value]) => typeof value !== 'object');
  return Object.fromEntries(scalars.map(([name, value]) => [name, areTexts ? String(value) : value]));
}

function isObject(value: unknown): value is Example {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
