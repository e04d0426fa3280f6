import { z } from 'zod';
import type { Side } from '../../wire/schema/shape.ts';
import { schemaReference, type WireSchema } from './document.ts';

/** Pattern of text that XML 1.0 can represent (see `formats/xml-text.ts`); all formats are limited to it. */
export const XML_TEXT = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF]*$';

/** Formats that need no pattern; the one that zod adds is only noise. */
const selfSufficientFormats = new Set(['date-time', 'date', 'uuid']);

/** JSON Schema as zod writes it, with `.meta({ item })` of arrays as a keyword. */
type RawSchema = WireSchema & { $schema?: string; $id?: string; item?: string };

/**
 * Converts zod schemas to JSON Schemas, which refer to each other by name.
 *
 * Input schemas describe exactly the accepted values. Output schemas are open, because members may be added to
 * responses at any time, and have no defaults.
 */
export function toWireSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  side: Side,
): Record<string, WireSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: raw } = z.toJSONSchema(registry, {
    io: side,
    unrepresentable: 'any',
    uri: schemaReference,
    override: ({ zodSchema, jsonSchema }) => describeTransformed(zodSchema, jsonSchema as RawSchema, side),
  });
  return Object.fromEntries(
    Object.entries(raw).map(([name, schema]) => [name, finish(schema as RawSchema, side)]),
  );
}

/** Converts one zod schema to JSON Schema. */
export function toWireSchema(schema: z.ZodType, side: Side): WireSchema {
  return toWireSchemas({ it: schema }, side).it ?? {};
}

/** Describes a transform by its input: the result of a function is unknown, and ours keep the form (see `compileShape`). */
function describeTransformed(schema: z.core.$ZodType, json: RawSchema, side: Side): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (side !== 'output' || def.type !== 'pipe' || typeOf(def.out) !== 'transform') return;
  Object.assign(json, toWireSchema(def.in as z.ZodType, side));
}

function typeOf(schema: z.core.$ZodType): string {
  return (schema as z.core.$ZodTypes)._zod.def.type;
}

function finish(raw: RawSchema, side: Side): WireSchema {
  const { $schema, $id, item, ...schema } = mergeNull(raw);
  return prune({
    ...schema,
    ...finishText(schema, side),
    ...finishTitle(schema, side),
    ...(schema.properties && { properties: mapValues(schema.properties, (each) => finish(each, side)) }),
    ...(typeof schema.additionalProperties === 'object' && {
      additionalProperties: finish(schema.additionalProperties, side),
    }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map((each) => finish(each, side)) }),
    ...(schema.items && { items: finishItems(schema.items, item, side) }),
    ...(item !== undefined && { xml: { wrapped: true, ...schema.xml } }),
    ...(side === 'output' && {
      default: undefined,
      ...(schema.additionalProperties === false && { additionalProperties: undefined }),
    }),
    ...(schema.maximum === Number.MAX_SAFE_INTEGER && { maximum: undefined }),
  });
}

/** Renames a closed input schema, because it is a different type from the output; enumerations keep their title. */
function finishTitle({ title, enum: words }: WireSchema, side: Side): object {
  return side === 'input' && title !== undefined && !words ? { title: `${title}Input` } : {};
}

function finishItems(items: WireSchema, item: string | undefined, side: Side): WireSchema {
  return { ...finish(items, side), ...(item !== undefined && { xml: { name: item } }) };
}

function finishText({ type, format, pattern, enum: words }: WireSchema, side: Side): object {
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  if (format !== undefined && selfSufficientFormats.has(format)) return { pattern: undefined };
  if (side === 'output' || !isText || words || format !== undefined) return {};
  return pattern === undefined ? { pattern: XML_TEXT } : { allOf: [{ pattern: XML_TEXT }] };
}

/** Converts the schema of a parameter: described by its parsed type, but sent as text that every format can represent. */
export function toParameterSchema(schema: WireSchema): WireSchema {
  const { items, anyOf } = schema;
  return prune({
    ...schema,
    ...finishText(schema, 'input'),
    ...(items && { items: toParameterSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(toParameterSchema) }),
  });
}

/** Merges `anyOf` of a type and null into one schema with both types, which is easier to read. */
function mergeNull(schema: RawSchema): RawSchema {
  const { anyOf, ...rest } = schema;
  const [kind, other] = anyOf ?? [];
  // Readers of XML and forms would not find the type behind the reference.
  if (kind?.$ref !== undefined && other?.type === 'null')
    throw new Error(`${kind.$ref} is nullable somewhere; give the component a schema object of its own.`);
  if (anyOf?.length !== 2 || other?.type !== 'null' || typeof kind?.type !== 'string') return schema;
  const words = kind.enum && { enum: [...kind.enum, null] };
  return { ...kind, ...rest, type: [kind.type, 'null'], ...words };
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function prune(schema: object): WireSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
