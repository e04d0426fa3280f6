import type { ErrorCode } from '@keydesk/server';
import type { z } from 'zod';
import type { Component } from './component.ts';
import type { Deprecation } from './deprecation.ts';
import type { HeaderName } from './headers.ts';

/** Groups of operations, in the order of the documents. */
export const tags = {
  tickets: 'Requests of customers: list, content, status and counts.',
  replies: 'The conversation about a ticket: public replies, and internal ones among staff.',
  history: 'The audit history of tickets: author, client and time of every change.',
  changes: 'The change feed, which clients use to synchronize a copy.',
  people: 'People that tickets refer to, and the caller.',
  definitions: 'Statuses, types and priorities of tickets, which administrators define.',
  fields: 'Definitions of custom fields.',
  roles: 'Rights of roles, which administrators grant and withdraw.',
  tags: 'Labels of tickets.',
  links: 'Relations between tickets.',
} as const satisfies Record<string, string>;

export type TagName = keyof typeof tags;

/**
 * Operation of the API: input, output and problems. OpenAPI documents, documentation pages and the answer check are
 * generated from these. Problems that every operation has (401, 403, 421, 500 …) are added automatically.
 */
export interface Operation {
  /** Name of the handler of its route. */
  id: string;
  /** HEAD is added for every GET, and OPTIONS for every path. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path without the format suffix, such as `/ticket/{ticket_id}`. */
  path: string;
  tag: TagName;
  summary: string;
  description?: string;
  /** Deprecation of the operation, announced with every response. */
  deprecation?: Deprecation;
  /** Deprecations of query parameters by name, announced to requests that send them. */
  deprecatedParameters?: Readonly<Record<string, Deprecation>>;
  scope: string;
  /** Schemas of path parameters by name. */
  pathParameters?: Readonly<Record<string, z.ZodType>>;
  /** Query parameters as the route parses them from text. */
  query?: z.ZodObject;
  /** Further query parameters, whose names are data that match the pattern `names`. */
  openQuery?: { name: string; description: string; names: string };
  /** Conditional requests: `If-None-Match` can return 304; `If-Match` can return 412 with the resource as `current`. */
  conditional?: 'If-None-Match' | StaleCondition;
  /** Whether the operation supports `Idempotency-Key`. */
  isRepeatable?: true;
  body?: RequestBody;
  answer: Answer;
  /** Alternative response: for a PUT that creates the resource, or a change that completes later. */
  otherAnswer?: Answer;
  /** Problem codes that do not follow from the members above. */
  problems?: readonly ErrorCode[];
  /** Event stream of the operation, selected by `Accept: text/event-stream` without a suffix or with `.json`. */
  stream?: EventStream;
}

/** GET that returns Server-Sent Events (HTML Living Standard §9.2); its problems are those of the operation. */
export interface EventStream {
  /** Name of the handler of its route. */
  id: string;
  summary: string;
  description: string;
  query: z.ZodObject;
  /** Example of the first events. */
  example: string;
}

/** Body: a resource in any format, selected by `Content-Type`, or a merge patch with the members that cannot be null. */
export type RequestBody = { resource: Component } | { patchOf: Component; required: readonly string[] };

/** `If-Match`, and the resource that a 412 returns. */
export interface StaleCondition {
  header: 'If-Match';
  current: Component;
  /** Whether the resource may be missing, because the operation also creates it. */
  isCurrentOptional?: true;
}

/** Links from a response to operations. */
export interface AnswerLinks {
  /** JSON Pointer (RFC 6901) into the response for each path parameter. */
  parameters: Readonly<Record<string, string>>;
  operationIds: readonly string[];
}

export interface Answer {
  status: 200 | 201 | 202;
  description: string;
  component: Component;
  /** Headers in addition to the common ones. */
  headers: readonly HeaderName[];
  links?: readonly AnswerLinks[];
}
