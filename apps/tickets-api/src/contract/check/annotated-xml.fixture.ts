import { readStrictXml } from '../../wire/xml/strict-xml.ts';
import { resolveSchema, type WireSchema } from '../openapi/document.ts';

type Schemas = Readonly<Record<string, WireSchema>>;

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/**
 * Reads XML with the document as its only source: names, wrappers, attributes and namespaces of the `xml` annotations,
 * and the documented forms of null, maps and mixed values.
 *
 * @throws {Error} when name or namespace of the root element differ from the schema
 */
export function readAnnotatedXml(text: string, schema: WireSchema, schemas: Schemas): unknown {
  const root = parse(text);
  const { xml } = resolveSchema(schema, schemas);
  if (root.name !== xml?.name)
    throw new Error(`The root element is <${root.name}>; expected <${xml?.name}>.`);
  if (root.attributes.xmlns !== xml.namespace) throw new Error(`The namespace is ${root.attributes.xmlns}.`);
  return toValue(root, schema, schemas);
}

function toValue(element: Element, reference: WireSchema, schemas: Schemas): unknown {
  const schema = resolveSchema(reference, schemas);
  const types = [schema.type ?? []].flat();
  if (element.attributes.nil === 'true') return null;
  if (schema.anyOf) return toVariant(element, schema.anyOf, schemas);
  if (types.includes('array')) return toItems(element.children, schema, schemas);
  if (schema.properties) return toObject(element, schema.properties, schemas);
  if (types.includes('object')) return toMap(element, schema, schemas);
  if (types.includes('number') || types.includes('integer')) return Number(element.text);
  return types.includes('boolean') ? element.text === 'true' : element.text;
}

function toItems(children: readonly Element[], { items = {} }: WireSchema, schemas: Schemas): unknown[] {
  const name = items.xml?.name;
  return children.map((child) => {
    if (child.name !== name) throw new Error(`Unexpected element <${child.name}>; expected <${name}>.`);
    return toValue(child, items, schemas);
  });
}

/** Reads an object. A child element that matches no property becomes an undocumented member. */
function toObject(element: Element, properties: Schemas, schemas: Schemas): object {
  const rest = new Set(element.children);
  const take = (name: string) => {
    const taken = [...rest].filter((child) => child.name === name);
    for (const child of taken) rest.delete(child);
    return taken;
  };
  const object: Record<string, unknown> = {};
  for (const [name, reference] of Object.entries(properties)) {
    const schema = resolveSchema(reference, schemas);
    if (schema.xml?.attribute) Object.assign(object, toAttribute(name, element.attributes[name], schema));
    else if (schema.xml?.wrapped === false) {
      object[name] = toItems(take(schema.items?.xml?.name ?? name), schema, schemas);
    } else {
      const [child, ...repeated] = take(schema.xml?.name ?? name);
      if (repeated.length > 0) throw new Error(`Element <${name}> occurs more than once.`);
      if (child) object[name] = toValue(child, schema, schemas);
    }
  }
  return Object.assign(object, Object.fromEntries([...rest].map(({ name, text }) => [name, text])));
}

/** Reads an attribute. An absent one is null if the schema allows null, otherwise no member. */
function toAttribute(name: string, text: string | undefined, { type }: WireSchema): object {
  if (text === undefined) return [type].flat().includes('null') ? { [name]: null } : {};
  if (type === 'integer') return { [name]: Number(text) };
  return { [name]: type === 'boolean' ? text === 'true' : text };
}

function toMap({ children }: Element, { additionalProperties }: WireSchema, schemas: Schemas): object {
  const member = typeof additionalProperties === 'object' ? additionalProperties : {};
  const entries = children.map((child) => [child.attributes.key, toValue(child, member, schemas)]);
  return Object.fromEntries(entries);
}

function toVariant(element: Element, options: readonly WireSchema[], schemas: Schemas): unknown {
  const { type = 'string' } = element.attributes;
  const option = options.find((each) => each.type === type);
  if (!option) throw new Error(`The schema has no type ${type}.`);
  return toValue(element, option, schemas);
}

function parse(text: string): Element {
  const document = createElement('');
  const open = [document];
  const current = () => open.at(-1) ?? document;
  readStrictXml(text, {
    open(name) {
      const element = createElement(name);
      current().children.push(element);
      open.push(element);
    },
    attribute(name, value) {
      current().attributes[name] = value;
    },
    text(piece) {
      current().text += piece;
    },
    close() {
      open.pop();
    },
  });
  return document.children[0] ?? document;
}

function createElement(name: string): Element {
  return { name, attributes: {}, children: [], text: '' };
}
