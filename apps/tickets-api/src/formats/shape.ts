import { z } from 'zod';

/** What the wire formats know of a schema: compiled once, so that no request looks into zod. */
export type Shape =
  | TextShape
  | NumberShape
  | BooleanShape
  | ArrayShape
  | ObjectShape
  | MapShape
  | VariantShape;

export interface TextShape {
  kind: 'text';
  isNullable: boolean;
  /** The schema admits only texts that XML need not escape, such as times and the words of an enum. */
  isPlain: boolean;
}

export interface NumberShape {
  kind: 'number';
  isNullable: boolean;
}

export interface BooleanShape {
  kind: 'boolean';
  isNullable: boolean;
}

export interface ArrayShape {
  kind: 'array';
  isNullable: boolean;
  /** The singular name of a member, for its XML element. */
  item: string;
  member: Shape;
}

export interface ObjectShape {
  kind: 'object';
  isNullable: boolean;
  fields: ReadonlyMap<string, Shape>;
}

/** An object whose names are data. */
export interface MapShape {
  kind: 'map';
  isNullable: boolean;
  member: Shape;
}

/** A text, a number, a boolean or an array: each value says by itself which it is. */
export interface VariantShape {
  kind: 'variant';
  isNullable: boolean;
  array: ArrayShape | undefined;
}

/** `input` is what a schema takes, `output` what it makes of it; transforms lie between the two. */
export type Side = 'input' | 'output';

const plainFormats = new Set(['uuid', 'guid', 'datetime', 'date']);
const xmlName = /^[A-Za-z_][\w.-]*$/;

/**
 * Compiles a schema of objects, arrays, records, texts, numbers, booleans and enums, nullable or not.
 *
 * @throws {Error} naming the field when the schema has a kind without a wire format, or an array without
 * `.meta({ item: 'tag' })`, the singular name of its members
 */
export function compileShape(schema: z.ZodType, side: Side): Shape {
  return compile(schema as z.core.$ZodType, side, '');
}

function compile(schema: z.core.$ZodType, side: Side, path: string): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return { kind: 'text', isNullable: false, isPlain: isPlainFormat(def) };
    case 'enum':
    case 'literal':
      return compileWords(schema, path);
    case 'number':
      return { kind: 'number', isNullable: false };
    case 'boolean':
      return { kind: 'boolean', isNullable: false };
    case 'object':
      return compileObject(def.shape, side, path);
    case 'record':
      return { kind: 'map', isNullable: false, member: compile(def.valueType, side, `${path}{}`) };
    case 'array':
      return compileArray(schema, def.element, side, path);
    case 'union':
      return compileUnion(def.options, side, path);
    case 'nullable':
      return { ...compile(def.innerType, side, path), isNullable: true };
    case 'optional':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return compile(def.innerType, side, path);
    case 'pipe':
      return compile(sideOfPipe(def, side), side, path);
    default:
      throw new Error(`The field ${path || '(root)'} is a zod ${def.type}, which has no wire format.`);
  }
}

function isPlainFormat(def: object): boolean {
  return 'format' in def && typeof def.format === 'string' && plainFormats.has(def.format);
}

function compileWords(schema: z.core.$ZodType, path: string): Shape {
  const words = [...(schema._zod.values ?? [])];
  if (!words.every((word) => typeof word === 'string')) {
    throw new Error(`The field ${path} has literals that are not texts, which have no wire format.`);
  }
  return { kind: 'text', isNullable: false, isPlain: words.every((word) => /^[\w -]*$/.test(word)) };
}

function compileObject(fields: Readonly<Record<string, z.core.$ZodType>>, side: Side, path: string): Shape {
  const compiled = Object.entries(fields).map(([name, field]): [string, Shape] => {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    return [requireXmlName(name, fieldPath), compile(field, side, fieldPath)];
  });
  return { kind: 'object', isNullable: false, fields: new Map(compiled) };
}

function compileArray(
  schema: z.core.$ZodType,
  element: z.core.$ZodType,
  side: Side,
  path: string,
): ArrayShape {
  const item = z.globalRegistry.get(schema)?.item;
  if (typeof item !== 'string') {
    throw new Error(`The array ${path} does not name its members: add .meta({ item: 'singular' }) to it.`);
  }
  const member = compile(element, side, `${path}[]`);
  return { kind: 'array', isNullable: false, item: requireXmlName(item, path), member };
}

/** A union is one kind that may be null, or several kinds that XML and JSON tell apart: never two of one kind. */
function compileUnion(options: readonly z.core.$ZodType[], side: Side, path: string): Shape {
  const isNull = (option: z.core.$ZodType) => (option as z.core.$ZodTypes)._zod.def.type === 'null';
  const shapes = options.filter((option) => !isNull(option)).map((option) => compile(option, side, path));
  const isNullable = shapes.length < options.length || shapes.some((shape) => shape.isNullable);
  const [only] = shapes;
  if (only && shapes.length === 1) return { ...only, isNullable };

  const kinds = shapes.map((shape) => shape.kind);
  const array = shapes.find((shape) => shape.kind === 'array');
  if (new Set(kinds).size < kinds.length || kinds.some((kind) => kind === 'object' || kind === 'map')) {
    throw new Error(`The union ${path} is of ${kinds.join(', ')}, which the wire formats can't tell apart.`);
  }
  return { kind: 'variant', isNullable, array };
}

function sideOfPipe(def: z.core.$ZodPipeDef, side: Side): z.core.$ZodType {
  const [near, far] = side === 'input' ? [def.in, def.out] : [def.out, def.in];
  return (near as z.core.$ZodTypes)._zod.def.type === 'transform' ? far : near;
}

function requireXmlName(name: string, path: string): string {
  if (xmlName.test(name)) return name;
  throw new Error(`The name ${JSON.stringify(name)} at ${path} can't be the name of an XML element.`);
}
