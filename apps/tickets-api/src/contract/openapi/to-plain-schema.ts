import type { WireSchema } from './document.ts';
import { joinForms, joinPatterns } from './join-patterns.ts';

/**
 * Simplifies a schema for client generators, which create a type for every union and send every default.
 *
 * Removes XML annotations, moves defaults to descriptions, and merges unions and patterns of strings into one pattern. A
 * nullable enumeration becomes a union, so that null is no enumeration value. Numbers become doubles, as in JSON.
 */
export function toPlainSchema(schema: WireSchema): WireSchema {
  const { xml: _, default: __, anyOf, allOf: ___, pattern: ____, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  const description = describeDefault(schema.description, schema.default);
  const pattern = joinPatterns(schema);
  const plain: WireSchema = {
    ...rest,
    ...(pattern !== undefined && { pattern }),
    ...(rest.type === 'number' && { format: 'double' }),
    ...(description !== undefined && { description }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, toPlainSchema(member)]),
      ),
    }),
    ...(items && { items: toPlainSchema(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: toPlainSchema(additionalProperties),
    }),
  };
  if (!anyOf) return separateNull(plain);
  if (!anyOf.every(({ type }) => type === 'string')) return { ...plain, anyOf: anyOf.map(toPlainSchema) };
  const forms = joinForms(anyOf);
  return { ...plain, type: 'string', ...(forms !== undefined && { pattern: forms }) };
}

/** Appends the default to a description, unless the default is null or empty. */
export function describeDefault(description: string | undefined, fallback: unknown): string | undefined {
  const words = JSON.stringify(fallback);
  if (words === undefined || ['null', '""', '[]', '{}'].includes(words)) return description;
  const note = `default: \`${typeof fallback === 'string' ? fallback : words}\``;
  return description === undefined ? note : `${description}; ${note}`;
}

function separateNull(schema: WireSchema): WireSchema {
  const { type, enum: words, description, readOnly, examples, ...rest } = schema;
  if (!words?.includes(null) || !Array.isArray(type)) return schema;
  const [kind] = type;
  return {
    ...(description !== undefined && { description }),
    ...(readOnly && { readOnly }),
    ...(examples && { examples }),
    anyOf: [{ ...rest, type: kind, enum: words.filter((word) => word !== null) }, { type: 'null' }],
  };
}
