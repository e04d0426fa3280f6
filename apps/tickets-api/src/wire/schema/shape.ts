import { z } from 'zod';

/** Part of a schema that the wire formats need, compiled once so that requests do not inspect zod schemas. */
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
  /** Whether all valid texts need no escaping in XML, such as times and enum values. */
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
  /** Singular name of a member, used as its XML element. */
  item: string;
  member: Shape;
}

export interface ObjectShape {
  kind: 'object';
  isNullable: boolean;
  fields: ReadonlyMap<string, Shape>;
}

/** Object whose member names are data. */
export interface MapShape {
  kind: 'map';
  isNullable: boolean;
  member: Shape;
}

/** Text, number, boolean or array; each value determines its own type. */
export interface VariantShape {
  kind: 'variant';
  isNullable: boolean;
  array: ArrayShape | undefined;
}

/** Side of a schema: `input` before its transforms, `output` after them. */
export type Side = 'input' | 'output';

const plainFormats = new Set(['uuid', 'guid', 'datetime', 'date']);
const xmlName = /^[A-Za-z_][\w.-]*$/;

/**
 * Compiles a schema of objects, arrays, records, strings, numbers, booleans and enums, nullable or not.
 *
 * @throws {Error} with the field that has no wire format, or the array without `.meta({ item: 'tag' })`, the singular name of
 * its members
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
    throw new Error(`The field ${path} has literals that are not strings, which have no wire format.`);
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
    throw new Error(`The array ${path} has no name for its members; add .meta({ item: 'singular' }).`);
  }
  const member = compile(element, side, `${path}[]`);
  return { kind: 'array', isNullable: false, item: requireXmlName(item, path), member };
}

/** Compiles a union: one type that may be null, or several types that JSON and XML can distinguish. */
function compileUnion(options: readonly z.core.$ZodType[], side: Side, path: string): Shape {
  const isNull = (option: z.core.$ZodType) => (option as z.core.$ZodTypes)._zod.def.type === 'null';
  const shapes = options.filter((option) => !isNull(option)).map((option) => compile(option, side, path));
  const isNullable = shapes.length < options.length || shapes.some((shape) => shape.isNullable);
  const [only] = shapes;
  if (only && shapes.length === 1) return { ...only, isNullable };

  const kinds = shapes.map((shape) => shape.kind);
  const array = shapes.find((shape) => shape.kind === 'array');
  if (new Set(kinds).size < kinds.length || kinds.some((kind) => kind === 'object' || kind === 'map')) {
    throw new Error(`The union ${path} of ${kinds.join(', ')} is ambiguous in the wire formats.`);
  }
  return { kind: 'variant', isNullable, array };
}

function sideOfPipe(def: z.core.$ZodPipeDef, side: Side): z.core.$ZodType {
  const [near, far] = side === 'input' ? [def.in, def.out] : [def.out, def.in];
  return (near as z.core.$ZodTypes)._zod.def.type === 'transform' ? far : near;
}

function requireXmlName(name: string, path: string): string {
  if (xmlName.test(name)) return name;
  throw new Error(`The name ${JSON.stringify(name)} at ${path} is not a valid name of an XML element.`);
}
