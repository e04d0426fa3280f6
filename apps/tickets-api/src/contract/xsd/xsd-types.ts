import { escapeXmlAttribute } from '../../wire/xml/xml-text.ts';
import { nameOfReference, type WireSchema } from '../openapi/document.ts';

/** XML element with attributes and child elements but no text. */
export interface XmlNode {
  name: string;
  attributes: Readonly<Record<string, string | number | undefined>>;
  children: readonly XmlNode[];
}

/** Creates an element; omits attributes that are `undefined` and children that are `false`. */
export function xmlNode(
  name: string,
  attributes: XmlNode['attributes'],
  ...children: readonly (XmlNode | false)[]
): XmlNode {
  return { name, attributes, children: children.filter((child) => child !== false) };
}

/** Prints an element, indented, one line per element. */
export function printXml({ name, attributes, children }: XmlNode, indent = ''): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXmlAttribute(String(value))}"`],
  );
  const start = `${indent}<${name}${written.join('')}`;
  if (children.length === 0) return `${start}/>\n`;
  const inner = children.map((child) => printXml(child, `${indent}  `)).join('');
  return `${start}>\n${inner}${indent}</${name}>\n`;
}

const builtIn: Readonly<Record<string, string>> = {
  string: 'xs:string',
  number: 'xs:double',
  integer: 'xs:integer',
  boolean: 'xs:boolean',
};
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Returns the type of a scalar, null aside: the name of a built-in type, or a restriction of one. */
function toSimpleType(schema: WireSchema): string | XmlNode {
  const kind = [schema.type ?? 'string'].flat().find((type) => type !== 'null') ?? 'string';
  if (schema.format === 'date-time') return 'xs:dateTime';
  const base = builtIn[kind] ?? 'xs:string';
  const facets = toFacets(schema);
  return facets.length === 0 ? base : restrict(base, facets);
}

/** Creates an enumeration. */
function toWords(words: readonly unknown[]): XmlNode {
  return restrict(
    'xs:string',
    words.map((word) => xmlNode('xs:enumeration', { value: String(word) })),
  );
}

function restrict(base: string, facets: readonly XmlNode[]): XmlNode {
  return xmlNode('xs:simpleType', {}, xmlNode('xs:restriction', { base }, ...facets));
}

/** Converts constraints to facets. Patterns are omitted, because the regular expressions of XML Schema differ too much. */
function toFacets({
  enum: words = [],
  minLength,
  maxLength,
  minimum,
  maximum,
  format,
}: WireSchema): XmlNode[] {
  const bounds = { minLength, maxLength, minInclusive: minimum, maxInclusive: maximum };
  return [
    ...words
      .filter((word) => word !== null)
      .map((word) => xmlNode('xs:enumeration', { value: String(word) })),
    ...(format === 'uuid' ? [xmlNode('xs:pattern', { value: UUID })] : []),
    ...Object.entries(bounds).flatMap(([facet, value]) =>
      value === undefined ? [] : [xmlNode(`xs:${facet}`, { value })],
    ),
  ];
}

/** Named types of one XML Schema document. */
export interface NamedTypes {
  /** Schemas that references point to. */
  schemas: Readonly<Record<string, WireSchema>>;
  /** Declares a named type once; XML Schema 1.0 can only extend named types. */
  declare(name: string, make: () => XmlNode): string;
  declared(): XmlNode[];
}

interface Occurs {
  minOccurs?: number;
  maxOccurs?: number | 'unbounded';
}

export function createNamedTypes(schemas: NamedTypes['schemas']): NamedTypes {
  const types = new Map<string, XmlNode | undefined>();
  return {
    schemas,
    declare(name, make) {
      if (types.has(name)) return name;
      types.set(name, undefined);
      const type = make();
      types.set(name, { ...type, attributes: { name, ...type.attributes } });
      return name;
    },
    declared: () => [...types.values()].filter((type) => type !== undefined),
  };
}

/**
 * Declares an element by the schema of its content, as responses are written: members in order, lists in wrappers, null
 * as `nil="true"`, maps as `<field key="…">`, and values of several types with a `type` attribute.
 *
 * @param path path of the element, which names its types
 */
export function toElement(
  name: string,
  schema: WireSchema,
  types: NamedTypes,
  path = name,
  occurs: Occurs = {},
): XmlNode {
  if (isOpen(schema)) return xmlNode('xs:element', { name, ...occurs });
  const type = toType(schema, types, path);
  if (typeof type === 'string') return xmlNode('xs:element', { name, type, ...occurs });
  return xmlNode('xs:element', { name, ...occurs }, type);
}

/** Returns the name of a type, or the type itself. */
function toType(schema: WireSchema, types: NamedTypes, path: string): string | XmlNode {
  if (schema.$ref !== undefined) {
    const name = nameOfReference(schema.$ref);
    return types.declare(name, () => toComplexType(types.schemas[name] ?? {}, types, name));
  }
  const isComplex = schema.anyOf ?? schema.items ?? schema.properties ?? schema.additionalProperties;
  return isComplex ? toComplexType(schema, types, path) : toScalar(schema, types, path);
}

function toScalar(schema: WireSchema, types: NamedTypes, path: string): string | XmlNode {
  const simple = toSimpleType(schema);
  if (!isNullable(schema)) return simple;
  const base = typeof simple === 'string' ? simple : types.declare(path, () => simple);
  const empty = types.declare('Empty', () => toWords(['']));
  const orEmpty = types.declare(`${path}.or-empty`, () =>
    xmlNode('xs:simpleType', {}, xmlNode('xs:union', { memberTypes: `${base} ${empty}` })),
  );
  const extension = xmlNode('xs:extension', { base: orEmpty }, toNil(types));
  return xmlNode('xs:complexType', {}, xmlNode('xs:simpleContent', {}, extension));
}

function toComplexType(schema: WireSchema, types: NamedTypes, path: string): XmlNode {
  if (schema.anyOf) return toVariant(schema.anyOf, types, path);
  const content = schema.properties ? toMembers(schema, types, path) : [toRepeated(schema, types, path)];
  const [elements, attributes] = [true, false].map((isElement) =>
    content.filter(({ name }) => (name === 'xs:element') === isElement),
  );
  return xmlNode(
    'xs:complexType',
    {},
    xmlNode('xs:sequence', { minOccurs: isNullable(schema) ? 0 : undefined }, ...(elements ?? [])),
    ...(attributes ?? []),
    isNullable(schema) && toNil(types),
  );
}

function toMembers(
  { properties = {}, required = [] }: WireSchema,
  types: NamedTypes,
  path: string,
): XmlNode[] {
  return Object.entries(properties).map(([name, member]) => {
    const memberPath = `${path}.${name}`;
    if (member.xml?.attribute) return xmlNode('xs:attribute', { name, type: 'xs:string' });
    if (member.xml?.wrapped === false) return toRepeated(member, types, memberPath);
    const occurs = required.includes(name) ? {} : { minOccurs: 0 };
    return toElement(member.xml?.name ?? name, member, types, memberPath, occurs);
  });
}

/** Creates the items of a list, or the entries of a map. */
function toRepeated(schema: WireSchema, types: NamedTypes, path: string): XmlNode {
  const { items, additionalProperties, maxItems, maxProperties } = schema;
  const occurs = { minOccurs: 0, maxOccurs: maxItems ?? maxProperties ?? ('unbounded' as const) };
  if (items) return toElement(items.xml?.name ?? 'item', items, types, `${path}.item`, occurs);
  const member = typeof additionalProperties === 'object' ? additionalProperties : {};
  const key = xmlNode('xs:attribute', { name: 'key', type: 'xs:string', use: 'required' });
  const entry = toVariant(member.anyOf ?? [member], types, `${path}.field`, key);
  return xmlNode('xs:element', { name: 'field', ...occurs }, entry);
}

/** Creates the type of a value whose `type` attribute names its kind. XML Schema 1.0 cannot make content depend on it. */
function toVariant(
  options: readonly WireSchema[],
  types: NamedTypes,
  path: string,
  ...attributes: XmlNode[]
): XmlNode {
  const list = options.find(({ items }) => items);
  const kinds = options
    .map(({ type }) => String(type))
    .filter((type) => type !== 'string' && type !== 'null');
  const type = () => types.declare(`${path}.type`, () => toWords(kinds));
  return xmlNode(
    'xs:complexType',
    { mixed: 'true' },
    list !== undefined && xmlNode('xs:sequence', {}, toRepeated(list, types, path)),
    ...attributes,
    kinds.length > 0 && xmlNode('xs:attribute', { name: 'type', type: type() }),
    options.some((option) => option.type === 'null') && toNil(types),
  );
}

function toNil(types: NamedTypes): XmlNode {
  return xmlNode('xs:attribute', { name: 'nil', type: types.declare('Nil', () => toWords(['true'])) });
}

/** Whether a schema has no constraints, which an element without a type expresses. */
function isOpen({ xml: _, ...constraints }: WireSchema): boolean {
  return Object.keys(constraints).length === 0;
}

function isNullable({ type }: WireSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}
