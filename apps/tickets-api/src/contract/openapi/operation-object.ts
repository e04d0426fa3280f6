import { contentTypes } from '../../wire/format.ts';
import { toHeaders } from '../headers.ts';
import type { Answer, AnswerLinks, EventStream, Operation } from '../operation.ts';
import { referTo } from './components.ts';
import type { LinkObject, OperationObject, ResponseObject } from './document.ts';
import { toHeader, toParameters, withDeprecation } from './parameters.ts';
import { oversized, toProblemResponses } from './problem-responses.ts';
import { toRequestBody } from './request-body.ts';

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
