import { z } from 'zod';
import { resolveSchema, type WireSchema } from '../openapi/document.ts';

/** The faults of a value, by a schema of the document and nothing else. */
export type SchemaCheck = (schema: WireSchema, value: unknown) => string[];

/** Judges by the JSON Schemas themselves, not by the zod schemas that they were made from. */
export function createSchemaCheck(schemas: Readonly<Record<string, WireSchema>>): SchemaCheck {
  const compiled = new Map<WireSchema, z.ZodType>();
  function compile(schema: WireSchema): z.ZodType {
    const known = compiled.get(schema);
    if (known) return known;
    const type = z.fromJSONSchema(close(schema, schemas) as z.core.JSONSchema.JSONSchema);
    compiled.set(schema, type);
    return type;
  }
  return (schema, value) => {
    const { error } = compile(schema).safeParse(value);
    return error?.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`) ?? [];
  };
}

/** The schema with its references resolved, and closed: a member that it does not name is a fault. */
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
