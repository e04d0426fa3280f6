import type { WireSchema } from './document.ts';
import { joinForms, joinPatterns } from './join-patterns.ts';

/**
 * Simplifies a schema for generators of clients, which make a type of every union and send every default.
 *
 * Annotations of XML go. A default moves to the description. A union of texts is a text, and patterns are joined into
 * one. An enumeration that may be null is a union, so that null is none of its words. A number is a double, as in JSON.
 */
export function toPlainSchema(schema: WireSchema): WireSchema {
  const { xml: _, default: __, anyOf, allOf: ___, pattern: ____, ...beside } = schema;
  const { properties, items, additionalProperties } = beside;
  const description = describeDefault(schema.description, schema.default);
  const pattern = joinPatterns(schema);
  const plain: WireSchema = {
    ...beside,
    ...(pattern !== undefined && { pattern }),
    ...(beside.type === 'number' && { format: 'double' }),
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
  if (!anyOf) return divideNull(plain);
  if (!anyOf.every(({ type }) => type === 'string')) return { ...plain, anyOf: anyOf.map(toPlainSchema) };
  const forms = joinForms(anyOf);
  return { ...plain, type: 'string', ...(forms !== undefined && { pattern: forms }) };
}

/** The description with the default in it, unless that is nothing. */
export function describeDefault(description: string | undefined, fallback: unknown): string | undefined {
  const words = JSON.stringify(fallback);
  if (words === undefined || ['null', '""', '[]', '{}'].includes(words)) return description;
  const note = `default: \`${typeof fallback === 'string' ? fallback : words}\``;
  return description === undefined ? note : `${description}; ${note}`;
}

function divideNull(schema: WireSchema): WireSchema {
  const { type, enum: words, description, readOnly, examples, ...beside } = schema;
  if (!words?.includes(null) || !Array.isArray(type)) return schema;
  const [kind] = type;
  return {
    ...(description !== undefined && { description }),
    ...(readOnly && { readOnly }),
    ...(examples && { examples }),
    anyOf: [{ ...beside, type: kind, enum: words.filter((word) => word !== null) }, { type: 'null' }],
  };
}
