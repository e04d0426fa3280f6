import { catalogue, type ErrorCode } from '@keydesk/server';
import { problemTypes } from '../../wire/output/format.ts';
import { type HeaderName, headers as headerObjects, toHeaders } from '../headers.ts';
import type { Operation, StaleCondition } from '../operation.ts';
import { problem, toProblemExample, toProblemXml, toStaleProblem } from '../problems.ts';
import { referTo } from './components.ts';
import type { ResponseObject } from './document.ts';

/** Problem response of one status. */
export interface ProblemResponse {
  status: number;
  /** Name of the component, shared by all operations with the same response. */
  name: string;
  response: ResponseObject;
}

const commonCodes: readonly ErrorCode[] = [
  'invalid_request',
  // For unknown query parameters; operations without query parameters reject all.
  'validation_failed',
  'invalid_token',
  'insufficient_user_authentication',
  'invalid_dpop_proof',
  'insufficient_scope',
  'forbidden',
  'not_found',
  'too_many_requests',
  'internal_error',
  'unavailable',
];
const bodyCodes: readonly ErrorCode[] = ['malformed_body', 'payload_too_large', 'unsupported_media_type'];

const replayCodes: readonly ErrorCode[] = ['conflict', 'idempotency_mismatch'];

const codeHeaders: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  invalid_request: ['WWW-Authenticate'],
  invalid_token: ['WWW-Authenticate'],
  insufficient_user_authentication: ['WWW-Authenticate'],
  invalid_dpop_proof: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  conflict: ['Retry-After'],
  too_many_requests: ['Retry-After'],
  unavailable: ['Retry-After'],
};

/** Response that Node sends by itself before the request gets to the app. */
export const oversized: ProblemResponse = {
  status: 431,
  name: 'request_header_fields_too_large',
  response: {
    description: 'The URL and the header fields exceed 16 KiB (RFC 6585 §5).',
    headers: {},
  },
};

/** Returns all problem responses of an operation: the common ones and the ones that depend on its input. */
export function toProblemResponses(operation: Operation, rateLimitStatus: number): ProblemResponse[] {
  const { body, isRepeatable, conditional, problems = [] } = operation;
  const codes = [
    ...commonCodes,
    ...(body ? bodyCodes : []),
    ...(isRepeatable ? replayCodes : []),
    ...problems,
  ];
  const statusOf = (code: ErrorCode) =>
    code === 'too_many_requests' ? rateLimitStatus : catalogue[code].status;
  const byStatus = [...Map.groupBy(new Set(codes), statusOf)];
  return [
    ...byStatus.map(([status, group]) => toProblemResponse(status, group)),
    ...(typeof conditional === 'object' ? [toStaleResponse(conditional)] : []),
    oversized,
  ];
}

function toStaleResponse(condition: StaleCondition): ProblemResponse {
  const component = toStaleProblem(condition);
  const { response } = toProblemResponse(412, ['precondition_failed']);
  const content = {
    [problemTypes.json]: { schema: referTo(component), example: component.example },
    [problemTypes.xml]: { schema: referTo(component), example: component.exampleXml },
  };
  const { required: _, ...optionalTag } = headerObjects.ETag;
  const tag = condition.isCurrentOptional ? { ETag: optionalTag } : toHeaders(['ETag']);
  const headers = { ...response.headers, ...tag };
  return {
    status: 412,
    name: `precondition_failed.${condition.current.name}${condition.isCurrentOptional ? '.optional' : ''}`,
    response: { ...response, headers, content },
  };
}

function toProblemResponse(status: number, codes: readonly ErrorCode[]): ProblemResponse {
  const examples = codes.map((code) => ({ code, example: toProblemExample(code, status) }));
  const json = examples.map(({ code, example }) => [code, { value: example }]);
  const xml = examples.map(({ code, example }) => [code, { value: toProblemXml(example) }]);
  return {
    status,
    name: codes.join('.'),
    response: {
      description: codes.map((code) => `\`${code}\`: ${catalogue[code].title}.`).join(' '),
      headers: toHeaders(['Cache-Control', ...new Set(codes.flatMap((code) => codeHeaders[code] ?? []))]),
      content: {
        [problemTypes.json]: { schema: referTo(problem), examples: Object.fromEntries(json) },
        [problemTypes.xml]: { schema: referTo(problem), examples: Object.fromEntries(xml) },
      },
    },
  };
}
