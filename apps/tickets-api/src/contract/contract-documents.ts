import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { contentTypes } from '../wire/output/format.ts';
import { createDocs } from './docs/serve-docs.ts';
import { type ContractOptions, createDocument, createJsonDocument } from './openapi/create-document.ts';
import type { Operation } from './operation.ts';
import type { ServedDocument } from './served-document.ts';
import { createXmlSchemas } from './xsd/create-xml-schemas.ts';

/** Settings of the installation that the documents show. */
export type DocumentOptions = ContractOptions & Pick<Config, 'docsClientId'>;

/**
 * Creates the documents of the contract by path: `/openapi.json` for JSON only, `/openapi-full.json` for every format,
 * the XML Schemas `/schema.xsd` and `/problem.xsd`, and the documentation at `/docs`. Requests are served between its
 * steps, of which the first takes 0.2 s and the others less than 0.1 s.
 */
export async function createContractDocuments(
  options: DocumentOptions,
  operations: readonly Operation[],
): Promise<Readonly<Record<string, ServedDocument>>> {
  const document = createDocument(operations, options);
  await nextTurn();
  const jsonDocument = createJsonDocument(document);
  await nextTurn();
  const { resources, problems } = createXmlSchemas(operations, 'problem.xsd');
  await nextTurn();
  return {
    '/openapi.json': { type: contentTypes.json, content: JSON.stringify(jsonDocument) },
    '/openapi-full.json': { type: contentTypes.json, content: JSON.stringify(document) },
    '/schema.xsd': { type: contentTypes.xml, content: resources },
    '/problem.xsd': { type: contentTypes.xml, content: problems },
    ...createDocs(document, options),
  };
}
