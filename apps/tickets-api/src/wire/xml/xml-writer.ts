import type { z } from 'zod';
import {
  type ArrayShape,
  compileShape,
  type MapShape,
  type ObjectShape,
  type Shape,
} from '../schema/shape.ts';
import { escapeXmlAttribute, toXmlContent } from './xml-text.ts';

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Writes one element; `attributes` are inserted as they are, each with a leading space. */
export type XmlWriter<Value> = (value: Value, attributes?: string) => string;

/**
 * Compiles a writer of XML that mirrors the JSON of a schema, without declaration and white space between elements.
 *
 * - An array is a wrapper with singular children, such as `<tags><tag>a</tag></tags>`; an empty one is `<tags/>`.
 * - Null is `nil="true"`; absent optional fields are absent.
 * - A map consists of `<field key="…">` elements; values other than text have a `type` if several types are possible.
 *
 * @throws {Error} when the schema has no XML form (see `compileShape`)
 */
export function compileXmlWriter<Schema extends z.ZodType>(
  schema: Schema,
  root: string,
): XmlWriter<z.output<Schema>> {
  return compileElement(compileShape(schema, 'output'), root);
}

type Write = XmlWriter<unknown>;
/** Writes the content of an element; empty for an element without content. */
type WriteContent = (value: unknown) => string;

function compileElement(shape: Shape, name: string): Write {
  if (shape.kind === 'variant') return compileVariant(shape.array, name);
  const content = compileContent(shape);
  return (value, attributes = '') => {
    if (value === null) return `<${name}${attributes} nil="true"/>`;
    return toElement(name, attributes, content(value));
  };
}

/** Writes one element; `attributes` and `content` must be escaped. */
export function toElement(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

function compileContent(shape: Exclude<Shape, { kind: 'variant' }>): WriteContent {
  switch (shape.kind) {
    case 'text':
      return shape.isPlain ? String : (value) => toXmlContent(String(value));
    case 'number':
    case 'boolean':
      return String;
    case 'array':
      return compileMembers(shape);
    case 'object':
      return compileFields(shape);
    case 'map':
      return compileEntries(shape);
  }
}

function compileMembers({ item, member }: ArrayShape): WriteContent {
  const write = compileElement(member, item);
  return (value) => {
    let content = '';
    for (const each of value as readonly unknown[]) content += write(each);
    return content;
  };
}

function compileFields({ fields }: ObjectShape): WriteContent {
  const writers = [...fields].map(([name, shape]) => ({ name, write: compileElement(shape, name) }));
  return (value) => {
    const object = value as Readonly<Record<string, unknown>>;
    // Joins an array: repeated concatenation builds a tree of strings that is traversed whenever the cached text is sent.
    const content: string[] = [];
    for (const { name, write } of writers) {
      const field = object[name];
      if (field !== undefined) content.push(write(field));
    }
    return content.join('');
  };
}

function compileEntries({ member }: MapShape): WriteContent {
  const write = compileElement(member, 'field');
  return (value) => {
    let content = '';
    for (const [key, each] of Object.entries(value as object)) {
      content += write(each, ` key="${escapeXmlAttribute(key)}"`);
    }
    return content;
  };
}

/** Compiles a value of several possible types; all but text have a `type` attribute. */
function compileVariant(array: ArrayShape | undefined, name: string): Write {
  const members = array && compileMembers(array);
  return (value, attributes = '') => {
    if (value === null) return `<${name}${attributes} nil="true"/>`;
    if (typeof value === 'string') return toElement(name, attributes, toXmlContent(value));
    if (members && Array.isArray(value)) return toElement(name, `${attributes} type="array"`, members(value));
    return toElement(name, `${attributes} type="${typeof value}"`, String(value));
  };
}
