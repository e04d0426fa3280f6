import { z } from 'zod';
import type { Side } from '../../formats/shape.ts';
import { schemaReference, type WireSchema } from './document.ts';

/** What XML 1.0 cannot carry, and no format therefore may (see `formats/xml-text.ts`). */
export const XML_TEXT = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF]*$';

/** Formats that say all there is to say, so that the pattern which zod adds would only be hard to read. */
const selfExplaining = new Set(['date-time', 'date', 'uuid']);

/** As zod writes it: with `.meta({ item })` of an array among the words. */
type RawSchema = WireSchema & { $schema?: string; $id?: string; item?: string };

/**
 * The JSON Schemas of zod schemas, each known by a name under which the others refer to it.
 *
 * On the input side they say exactly what is accepted. On the output side they are open, for members may be added to
 * answers at any time; defaults are none of an answer's business.
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

/** The JSON Schema of one zod schema. */
export function toWireSchema(schema: z.ZodType, side: Side): WireSchema {
  return toWireSchemas({ it: schema }, side).it ?? {};
}

/** What comes out of a function can't be told; ours keep the form of what goes in, as `compileShape` assumes too. */
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

/** An input is closed, so that it is another type than the same of an answer, unless it is one of some words. */
function finishTitle({ title, enum: words }: WireSchema, side: Side): object {
  return side === 'input' && title !== undefined && !words ? { title: `${title}Input` } : {};
}

function finishItems(items: WireSchema, item: string | undefined, side: Side): WireSchema {
  return { ...finish(items, side), ...(item !== undefined && { xml: { name: item } }) };
}

function finishText({ type, format, pattern, enum: words }: WireSchema, side: Side): object {
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  if (format !== undefined && selfExplaining.has(format)) return { pattern: undefined };
  if (side === 'output' || !isText || words || format !== undefined) return {};
  return pattern === undefined ? { pattern: XML_TEXT } : { allOf: [{ pattern: XML_TEXT }] };
}

/** The schema of a parameter: described as what is read of it, and sent as text that every format can carry. */
export function toParameterSchema(schema: WireSchema): WireSchema {
  const { items, anyOf } = schema;
  return prune({
    ...schema,
    ...finishText(schema, 'input'),
    ...(items && { items: toParameterSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(toParameterSchema) }),
  });
}

/** `anyOf` of one kind and null becomes one schema of both types: easier to read, for people and for programs. */
function mergeNull(schema: RawSchema): RawSchema {
  const { anyOf, ...beside } = schema;
  const [kind, other] = anyOf ?? [];
  if (anyOf?.length !== 2 || other?.type !== 'null' || typeof kind?.type !== 'string') return schema;
  const words = kind.enum && { enum: [...kind.enum, null] };
  return { ...kind, ...beside, type: [kind.type, 'null'], ...words };
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
