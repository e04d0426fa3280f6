import type { z } from 'zod';
import { formats } from '../../wire/output/format.ts';
import { type Deprecation, describeDeprecation } from '../deprecation.ts';
import type { Operation } from '../operation.ts';
import type { ParameterObject } from './document.ts';
import { toParameterSchema, toWireSchema } from './wire-schema.ts';

const headers = {
  'If-None-Match': {
    description: 'Entity tags of cached representations; 304 if one is current (RFC 9110 §13.1.2)',
    schema: { type: 'string' },
  },
  'If-Match': {
    description:
      'Entity tag of the version to change; 412 if the resource has changed since (RFC 9110 §13.1.1). `If-None-Match` is also supported (§13.1.2)',
    schema: { type: 'string' },
  },
  'Last-Event-ID': {
    description: '`id` of the last received event; the stream continues after it and ignores `since`',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    description:
      'Unique key of the request; a repetition with the same key is not executed again. With or without double quotes',
    schema: {
      type: 'string',
      pattern: '^(?:"(?:[!#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#-+\\--~]{1,255})$',
    },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
} as const satisfies Record<string, Pick<ParameterObject, 'description' | 'schema' | 'example'>>;

/** Creates the path parameters of an operation, including the format suffix. */
export function toPathParameters({ pathParameters = {} }: Operation): ParameterObject[] {
  return [
    ...Object.entries(pathParameters).map(([name, schema]) => toParameter(name, 'path', schema)),
    {
      name: 'format',
      in: 'path',
      required: true,
      description: 'Format of the response',
      schema: { type: 'string', enum: formats },
      example: 'json',
    },
  ];
}

/** Creates the query and header parameters of an operation. */
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

/** Appends the announcement of a deprecation to a description. */
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

/** Creates the parameter for filters whose names are data: each member of the object is a parameter of its own. */
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

/** Creates the parameter of a request header. */
export function toHeader(name: keyof typeof headers): ParameterObject {
  return { name, in: 'header', required: false, ...headers[name] };
}

/** Creates a parameter. It is sent as text but described by the type that the route parses it to. */
function toParameter(name: string, location: 'path' | 'query', schema: z.ZodType): ParameterObject {
  const { description, examples, ...wire } = toParameterSchema(toWireSchema(schema, 'output'));
  const absent = schema.safeParse(undefined);
  const fallback = absent.success ? absent.data : undefined;
  return {
    name,
    in: location,
    required: !absent.success,
    ...(description !== undefined && { description }),
    ...(wire.type === 'array' && { style: 'form', explode: false }),
    schema: { ...wire, ...(fallback !== undefined && { default: fallback }) },
    ...(examples?.[0] !== undefined && { example: examples[0] }),
  };
}
