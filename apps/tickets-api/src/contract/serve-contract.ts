import type { Middleware } from 'koa';
import type { Config } from '../config.ts';
import { contentTypes } from '../wire/output/format.ts';
import { createDocs } from './docs/serve-docs.ts';
import { type ContractOptions, createDocument, createJsonDocument } from './openapi/create-document.ts';
import type { Operation } from './operation.ts';
import { serveDocuments } from './served-document.ts';
import { createXmlSchemas } from './xsd/create-xml-schemas.ts';

/**
 * Serves the contract: `/openapi.json` for JSON only, `/openapi-full.json` for every format, the XML Schemas
 * `/schema.xsd` and `/problem.xsd`, and the documentation at `/docs`.
 */
export function serveContract(
  options: ContractOptions & Pick<Config, 'docsClientId'>,
  operations: readonly Operation[],
): Middleware {
  const document = createDocument(operations, options);
  const { resources, problems } = createXmlSchemas(operations, 'problem.xsd');
  return serveDocuments({
    '/openapi.json': {
      type: contentTypes.json,
      content: JSON.stringify(createJsonDocument(operations, options)),
    },
    '/openapi-full.json': { type: contentTypes.json, content: JSON.stringify(document) },
    '/schema.xsd': { type: contentTypes.xml, content: resources },
    '/problem.xsd': { type: contentTypes.xml, content: problems },
    ...createDocs(document, options),
  });
}
