import type { z } from 'zod';
import { type ArrayShape, compileShape, type MapShape, type ObjectShape, type Shape } from './shape.ts';
import { escapeXmlAttribute, toXmlContent } from './xml-text.ts';

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Writes one element; `attributes` go into its start tag as they are, each with a space before it. */
export type XmlWriter<Value> = (value: Value, attributes?: string) => string;

/**
 * Compiles a writer of the XML that mirrors the schema's JSON: no declaration, no white space between elements.
 *
 * - an array is always a wrapper with singular children: `<tags><tag>a</tag></tags>`, empty `<tags/>`
 * - null is `nil="true"`; an absent optional field is absent
 * - a map is `<field key="…">` elements, with a `type` for values that are not text where several kinds may be
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
/** Writes what stands between the tags; empty for an element without content. */
type WriteContent = (value: unknown) => string;

function compileElement(shape: Shape, name: string): Write {
  if (shape.kind === 'variant') return compileVariant(shape.array, name);
  const content = compileContent(shape);
  return (value, attributes = '') => {
    if (value === null) return `<${name}${attributes} nil="true"/>`;
    return toElement(name, attributes, content(value));
  };
}

/** One element, empty or not; `attributes` and `content` are escaped already. */
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
    // Joined rather than added up: a sum is a tree of strings, to be walked each time the remembered text is sent.
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

/** Where several kinds may stand, the element says which it is; text goes without saying. */
function compileVariant(array: ArrayShape | undefined, name: string): Write {
  const members = array && compileMembers(array);
  return (value, attributes = '') => {
    if (value === null) return `<${name}${attributes} nil="true"/>`;
    if (typeof value === 'string') return toElement(name, attributes, toXmlContent(value));
    if (members && Array.isArray(value)) return toElement(name, `${attributes} type="array"`, members(value));
    return toElement(name, `${attributes} type="${typeof value}"`, String(value));
  };
}
