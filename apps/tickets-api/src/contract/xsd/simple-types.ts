import type { WireSchema } from '../openapi/document.ts';
import { type XmlNode, xmlNode } from './xml-node.ts';

const builtIn: Readonly<Record<string, string>> = {
  string: 'xs:string',
  number: 'xs:double',
  integer: 'xs:integer',
  boolean: 'xs:boolean',
};
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Returns the type of a scalar, null aside: the name of a built-in type, or a restriction of one. */
export function toSimpleType(schema: WireSchema): string | XmlNode {
  const kind = [schema.type ?? 'string'].flat().find((type) => type !== 'null') ?? 'string';
  if (schema.format === 'date-time') return 'xs:dateTime';
  const base = builtIn[kind] ?? 'xs:string';
  const facets = toFacets(schema);
  return facets.length === 0 ? base : restrict(base, facets);
}

/** Creates an enumeration. */
export function toWords(words: readonly unknown[]): XmlNode {
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
