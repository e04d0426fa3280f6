import { escapeXmlAttribute } from '../../wire/xml/xml-text.ts';

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
