import type { z } from 'zod';
import { formats } from '../../formats/format.ts';
import { type Deprecation, describeDeprecation } from '../deprecation.ts';
import type { Operation } from '../operation.ts';
import type { ParameterObject } from './document.ts';
import { toParameterSchema, toWireSchema } from './wire-schema.ts';

const headers = {
  'If-None-Match': {
    description: 'Entity tags that the caller has already: 304 if one is current (RFC 9110 §13.1.2)',
    schema: { type: 'string' },
  },
  'If-Match': {
    description:
      'The entity tag of the version to change: 412 if it has changed since (RFC 9110 §13.1.1), and with `If-None-Match` if it has not (§13.1.2)',
    schema: { type: 'string' },
  },
  'Last-Event-ID': {
    description:
      'The `id` of the last event that has arrived: what follows it comes next, whatever `since` is',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    description: 'Names the request, so that a repetition makes nothing new; in double quotes or without',
    schema: {
      type: 'string',
      pattern: '^(?:"(?:[!#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#-+\\--~]{1,255})$',
    },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
} as const satisfies Record<string, Pick<ParameterObject, 'description' | 'schema' | 'example'>>;

/** The parameters of a path: what names the resource, and the suffix that every path has. */
export function toPathParameters({ pathParameters = {} }: Operation): ParameterObject[] {
  return [
    ...Object.entries(pathParameters).map(([name, schema]) => toParameter(name, 'path', schema)),
    {
      name: 'format',
      in: 'path',
      required: true,
      description: 'The format of the answer',
      schema: { type: 'string', enum: formats },
      example: 'json',
    },
  ];
}

/** The parameters of an operation beside those of its path. */
export function toParameters(operation: Operation): ParameterObject[] {
  const { query, openQuery, conditional, isRepeatable } = operation;
  return [
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => toQueryParameter(operation, name, schema)),
    ...(openQuery ? [toOpenParameter(openQuery)] : []),
    ...(conditional ? [toHeader(typeof conditional === 'object' ? conditional.header : conditional)] : []),
    ...(isRepeatable ? [toHeader('Idempotency-Key')] : []),
  ];
}

function toQueryParameter(
  { deprecatedParameters }: Operation,
  name: string,
  schema: z.ZodType,
): ParameterObject {
  const { description, ...parameter } = toParameter(name, 'query', schema);
  const deprecation = deprecatedParameters?.[name];
  const text = withDeprecation({ description, deprecation });
  return {
    ...parameter,
    ...(text !== undefined && { description: text }),
    ...(deprecation && { deprecated: true }),
  };
}

/** A description that ends with the announcement of a deprecation. */
export function withDeprecation({
  description,
  deprecation,
}: {
  description?: string | undefined;
  deprecation?: Deprecation | undefined;
}): string | undefined {
  if (!deprecation) return description;
  return [description, describeDeprecation(deprecation)].filter(Boolean).join(' ');
}

/** Parameters whose names are data: the members of an object, each a parameter of its own. */
function toOpenParameter({ name, description, names }: NonNullable<Operation['openQuery']>): ParameterObject {
  return {
    name,
    in: 'query',
    required: false,
    description,
    style: 'form',
    explode: true,
    schema: {
      type: 'object',
      propertyNames: { pattern: names },
      additionalProperties: toParameterSchema({ type: 'string' }),
    },
  };
}

/** A header of requests as a parameter. */
export function toHeader(name: keyof typeof headers): ParameterObject {
  return { name, in: 'header', required: false, ...headers[name] };
}

/** A parameter is text, and described as what the route makes of it: a number where it is read as one. */
function toParameter(name: string, place: 'path' | 'query', schema: z.ZodType): ParameterObject {
  const { description, examples, ...wire } = toParameterSchema(toWireSchema(schema, 'output'));
  const absent = schema.safeParse(undefined);
  const fallback = absent.success ? absent.data : undefined;
  return {
    name,
    in: place,
    required: !absent.success,
    ...(description !== undefined && { description }),
    ...(wire.type === 'array' && { style: 'form', explode: false }),
    schema: { ...wire, ...(fallback !== undefined && { default: fallback }) },
    ...(examples?.[0] !== undefined && { example: examples[0] }),
  };
}
