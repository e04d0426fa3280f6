import { z } from 'zod';
import { resolveSchema, type WireSchema } from '../openapi/document.ts';

/** Returns the faults of a value by a JSON Schema of the document. */
export type SchemaCheck = (schema: WireSchema, value: unknown) => string[];

/** Creates a check by the JSON Schemas of the document instead of the zod schemas that they were made from. */
export function createSchemaCheck(schemas: Readonly<Record<string, WireSchema>>): SchemaCheck {
  const compiled = new Map<WireSchema, z.ZodType>();
  function compile(schema: WireSchema): z.ZodType {
    const cached = compiled.get(schema);
    if (cached) return cached;
    const type = z.fromJSONSchema(close(schema, schemas) as z.core.JSONSchema.JSONSchema);
    compiled.set(schema, type);
    return type;
  }
  return (schema, value) => {
    const { error } = compile(schema).safeParse(value);
    return error?.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`) ?? [];
  };
}

/** Resolves references and closes objects, so that undocumented members are faults. */
function close(schema: WireSchema, schemas: Readonly<Record<string, WireSchema>>): WireSchema {
  const { xml: _, readOnly: __, examples: ___, ...closed } = resolveSchema(schema, schemas);
  const each = (inner: WireSchema) => close(inner, schemas);
  return {
    ...closed,
    ...(closed.properties && {
      properties: Object.fromEntries(
        Object.entries(closed.properties).map(([name, member]) => [name, each(member)]),
      ),
      additionalProperties: false,
    }),
    ...(typeof closed.additionalProperties === 'object' && {
      additionalProperties: each(closed.additionalProperties),
    }),
    ...(closed.items && { items: each(closed.items) }),
    ...(closed.anyOf && { anyOf: closed.anyOf.map(each) }),
  };
}
