import type { WireSchema } from './document.ts';

/**
 * Simplifies a schema for generators of clients, which make a type of every union and send every default.
 *
 * Annotations of XML go, a default moves to the description, a union of texts is a text, patterns are joined into one,
 * and an enumeration that may be null is a union, so that null is none of its words, and a number is a double, as in JSON.
 */
export function toPlainSchema(schema: WireSchema): WireSchema {
  const { xml: _, default: __, anyOf, allOf, ...beside } = joinPatterns(schema);
  const { properties, items, additionalProperties } = beside;
  const description = describeDefault(schema.description, schema.default);
  const plain: WireSchema = {
    ...beside,
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
    ...(allOf && { allOf: allOf.map(toPlainSchema) }),
  };
  if (!anyOf) return divideNull(plain);
  return anyOf.every(({ type }) => type === 'string')
    ? { ...plain, type: 'string' }
    : { ...plain, anyOf: anyOf.map(toPlainSchema) };
}

/** The description with the default in it, unless that is nothing. */
export function describeDefault(description: string | undefined, fallback: unknown): string | undefined {
  const words = JSON.stringify(fallback);
  if (words === undefined || ['null', '""', '[]', '{}'].includes(words)) return description;
  const note = `default: \`${typeof fallback === 'string' ? fallback : words}\``;
  return description === undefined ? note : `${description}; ${note}`;
}

/** One pattern that says what several say together. */
function joinPatterns({ pattern, allOf, ...beside }: WireSchema): WireSchema {
  if (!allOf) return { ...beside, ...(pattern !== undefined && { pattern }) };
  const parts = allOf.map(joinPatterns);
  if (!parts.every((part) => Object.keys(part).every((key) => key === 'pattern'))) {
    return { ...beside, ...(pattern !== undefined && { pattern }), allOf };
  }
  const patterns = [pattern, ...parts.map((part) => part.pattern)].filter((each) => each !== undefined);
  const lookaheads = patterns.map((each) =>
    each.startsWith('^') ? `(?=${each})` : `(?=[\\s\\S]*(?:${each}))`,
  );
  const joined = patterns.length === 1 ? patterns[0] : `^${lookaheads.join('')}`;
  return { ...beside, ...(joined !== undefined && { pattern: joined }) };
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
