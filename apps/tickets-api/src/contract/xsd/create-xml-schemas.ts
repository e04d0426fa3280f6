import { XML_DECLARATION } from '../../wire/xml/xml-writer.ts';
import { toAnswerSchemas } from '../openapi/components.ts';
import { schemaReference, type WireSchema } from '../openapi/document.ts';
import type { Operation } from '../operation.ts';
import { problemNamespace } from '../problems.ts';
import { createNamedTypes, printXml, toElement, type XmlNode, xmlNode } from './xsd-types.ts';

/** XML Schemas (1.0) of all responses, one document per namespace; `resources` imports `problems`. */
export interface XmlSchemas {
  resources: string;
  problems: string;
}

/** @param problemsLocation URL of the problem schema relative to the resource schema */
export function createXmlSchemas(operations: readonly Operation[], problemsLocation: string): XmlSchemas {
  const schemas = toAnswerSchemas(operations);
  const imports = xmlNode('xs:import', { namespace: problemNamespace, schemaLocation: problemsLocation });
  return {
    resources: toXmlSchema(schemas, undefined, imports),
    problems: toXmlSchema(schemas, problemNamespace),
  };
}

function toXmlSchema(
  schemas: Readonly<Record<string, WireSchema>>,
  namespace: string | undefined,
  ...imports: readonly XmlNode[]
): string {
  const types = createNamedTypes(schemas);
  const roots = Object.entries(schemas).filter(([, { xml }]) => xml && xml.namespace === namespace);
  const byElement = [...Map.groupBy(roots, ([, { xml }]) => xml?.name ?? '')];
  const elements = byElement.map(([name, variants]) => toElement(name, toRoot(variants), types));
  const attributes = {
    'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
    xmlns: namespace,
    targetNamespace: namespace,
    elementFormDefault: 'qualified',
  };
  const schema = xmlNode('xs:schema', attributes, ...imports, ...elements, ...types.declared());
  return XML_DECLARATION + printXml(schema);
}

/** Merges all variants of a root element, because an element has a single declaration; members that only some have are optional. */
function toRoot(variants: readonly (readonly [string, WireSchema])[]): WireSchema {
  const [[name] = ['']] = variants;
  if (variants.length === 1) return { $ref: schemaReference(name) };
  return variants.map(([, schema]) => schema).reduce(merge);
}

/**
 * Merges two object schemas. Members keep their order; a member that only the second has comes before the next common
 * one. A member with different references, such as `current` of a problem, allows any content, because an element of
 * XML Schema 1.0 has a single type.
 */
function merge(one: WireSchema, other: WireSchema): WireSchema {
  const members = Object.entries(one.properties ?? {});
  const names = () => members.map(([name]) => name);
  let end = members.length;
  for (const [name, schema] of Object.entries(other.properties ?? {}).toReversed()) {
    const index = names().indexOf(name);
    if (index === -1) members.splice(end, 0, [name, schema]);
    else end = index;
    const [, first] = members[index] ?? [];
    if (first?.properties && schema.properties) members[index] = [name, merge(first, schema)];
    else if (first && first.$ref !== schema.$ref) members[index] = [name, { xml: schema.xml ?? {} }];
  }
  return {
    ...one,
    properties: Object.fromEntries(members),
    required: (one.required ?? []).filter((name) => other.required?.includes(name)),
  };
}
