import { XML_DECLARATION } from '../../formats/xml-writer.ts';
import { toAnswerSchemas } from '../openapi/components.ts';
import { schemaReference, type WireSchema } from '../openapi/document.ts';
import type { Operation } from '../operation.ts';
import { problemNamespace } from '../problems.ts';
import { printXml, type XmlNode, xmlNode } from './xml-node.ts';
import { createNamedTypes, toElement } from './xsd-types.ts';

/** The XML Schemas (1.0) of all answers: a document for each namespace, of which the first imports the second. */
export interface XmlSchemas {
  resources: string;
  problems: string;
}

/** @param problemsLocation where the document of problems is, seen from that of the resources */
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
  const roots = Object.entries(schemas).filter(([, { xml }]) => xml?.namespace === namespace);
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

/** An element has one declaration, whichever answers it is the root of: what only some of them have is optional. */
function toRoot(variants: readonly (readonly [string, WireSchema])[]): WireSchema {
  const [[name] = ['']] = variants;
  if (variants.length === 1) return { $ref: schemaReference(name) };
  const schemas = variants.map(([, schema]) => schema);
  return {
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
    required: (schemas[0]?.required ?? []).filter((each) =>
      schemas.every(({ required }) => required?.includes(each)),
    ),
  };
}
