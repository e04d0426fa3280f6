import type { ErrorCode } from '@keydesk/http';
import type { z } from 'zod';
import type { Component } from './component.ts';
import type { Deprecation } from './deprecation.ts';
import type { HeaderName } from './headers.ts';
import type { TagName } from './tags.ts';

/**
 * One thing that a client can do: what comes in, what goes out, and what can go wrong. The document, the page and the
 * check of every answer are made from these; what follows for every operation (401, 403, 421, 500 …) is not repeated.
 */
export interface Operation {
  /** The name of the handler in the router. */
  id: string;
  /** A GET has its HEAD, and every path its OPTIONS. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without the format suffix, which every path has: `/ticket/{ticket_id}`. */
  path: string;
  tag: TagName;
  summary: string;
  description?: string;
  /** Announced with every answer of the operation. */
  deprecation?: Deprecation;
  /** Parameters of the query by name; each is announced where a request has it. */
  deprecatedParameters?: Readonly<Record<string, Deprecation>>;
  scope: string;
  /** The schemas of the path's parameters, by name. */
  pathParameters?: Readonly<Record<string, z.ZodType>>;
  /** The parameters of the query as the route reads them: each is text. */
  query?: z.ZodObject;
  /** Further ones, whose names are data of this pattern. */
  openQuery?: { name: string; description: string; names: string };
  /** `If-None-Match` can bring 304; `If-Match` can bring 412 with that resource as the member `current`, if there is one. */
  conditional?: 'If-None-Match' | StaleCondition;
  /** May be repeated under its `Idempotency-Key`. */
  isRepeatable?: true;
  body?: RequestBody;
  answer: Answer;
  /** The answer where it creates the resource that it otherwise changes, or where some of it is done later. */
  otherAnswer?: Answer;
  /** Beyond those that follow from the above. */
  problems?: readonly ErrorCode[];
  /** The same as events, to be had with `Accept: text/event-stream`, without a suffix or with `.json`. */
  stream?: EventStream;
}

/** A GET that is answered with Server-Sent Events (HTML Living Standard §9.2) and fails as the operation does. */
export interface EventStream {
  /** The name of the handler in the router. */
  id: string;
  summary: string;
  description: string;
  query: z.ZodObject;
  /** A beginning of it. */
  example: string;
}

/** A resource in any format, chosen by `Content-Type`; or a merge patch of one, with the members it can't do without. */
export type RequestBody = { resource: Component } | { patchOf: Component; required: readonly string[] };

/** `If-Match`, and the resource in the answer when it is not met. */
export interface StaleCondition {
  header: 'If-Match';
  current: Component;
  /** Whether the resource need not be there, because the operation also creates it. */
  isCurrentOptional?: true;
}

/** Operations on what the answer tells of. */
export interface AnswerLinks {
  /** Where in the answer (RFC 6901) the value of each parameter of their paths is. */
  parameters: Readonly<Record<string, string>>;
  operationIds: readonly string[];
}

export interface Answer {
  status: 200 | 201 | 202;
  description: string;
  component: Component;
  /** Beside those of every answer. */
  headers: readonly HeaderName[];
  links?: readonly AnswerLinks[];
}
