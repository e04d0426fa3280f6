import { readFileSync } from 'node:fs';
import type { Middleware } from 'koa';
import { contentTypes } from '../formats/format.ts';
import { renderDocs } from './docs/page.ts';
import { type ContractOptions, createDocument, createJsonDocument } from './openapi/create-document.ts';
import type { Operation } from './operation.ts';
import { type ServedDocument, serveDocuments } from './served-document.ts';
import { createXmlSchemas } from './xsd/create-xml-schemas.ts';

/**
 * Serves what clients are told about the API: `/openapi.json` for JSON alone and `/openapi-full.json` for every format,
 * the XML Schemas `/schema.xsd` and `/problem.xsd`, and `/docs` for people.
 */
export function serveContract(options: ContractOptions, operations: readonly Operation[]): Middleware {
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
    '/docs': {
      type: 'text/html; charset=utf-8',
      content: renderDocs(document),
      headers: {
        'Content-Security-Policy': toDocsPolicy(options.issuer),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'X-Frame-Options': 'DENY',
      },
    },
    '/docs/docs.css': readAsset('docs.css', 'text/css; charset=utf-8'),
    '/docs/docs.js': readAsset('docs.js', 'text/javascript; charset=utf-8'),
    '/docs/icon.svg': readAsset('icon.svg', 'image/svg+xml'),
  });
}

/** The page runs nothing but its own script, which talks to this API and to the authorization server. */
function toDocsPolicy(issuer: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(issuer).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function readAsset(name: string, type: string): ServedDocument {
  return { type, content: readFileSync(new URL(`docs/${name}`, import.meta.url), 'utf8') };
}
