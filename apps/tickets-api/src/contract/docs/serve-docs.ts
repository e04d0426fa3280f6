import { readFileSync } from 'node:fs';
import { contentTypes } from '../../formats/format.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { ServedDocument } from '../served-document.ts';
import { describeOperations } from './described-operations.ts';
import { renderGuidePage } from './guide-page.ts';
import { readGuides } from './guides.ts';
import { renderOperations } from './operation-list.ts';
import { toReaderDocument } from './reader-document.ts';
import { type ReaderOptions, renderReaderPage, renderSignedInPage } from './reader-page.ts';
import { loadReaderScript, readerScriptName } from './reader-script.ts';
import { createSearchIndex } from './search-index.ts';

const htmlType = 'text/html; charset=utf-8';
const styleType = 'text/css; charset=utf-8';
const scriptType = 'text/javascript; charset=utf-8';

/** The pages for people, by path: the guides at `/docs`, and the reader of the document at `/docs/reference`. */
export function createDocs(
  document: OpenApiDocument,
  options: ReaderOptions,
): Readonly<Record<string, ServedDocument>> {
  const groups = readGuides();
  const operations = describeOperations(document);
  const index = createSearchIndex(groups, operations);
  const guides = groups
    .flatMap((group) => group.guides)
    .map((guide): [string, ServedDocument] =>
      guide.slug === ''
        ? ['/docs', toPage(renderGuidePage(guide, groups, renderOperations(operations)), guidePolicy)]
        : [`/docs/${guide.slug}`, toPage(renderGuidePage(guide, groups), guidePolicy)],
    );
  return {
    ...Object.fromEntries(guides),
    '/docs/reference': toPage(renderReaderPage(options), toReaderPolicy(options.issuer), {
      // The sign-in is a window that the reader opens and reads the code from.
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    }),
    // Any other policy would take that window away from the reader, as the authorization server's pages have none.
    '/docs/signed-in': toPage(renderSignedInPage(), guidePolicy, {
      'Cross-Origin-Opener-Policy': 'unsafe-none',
    }),
    '/docs/openapi.json': {
      type: contentTypes.json,
      content: JSON.stringify(toReaderDocument(document, options)),
    },
    '/docs/search.json': { type: contentTypes.json, content: JSON.stringify(index) },
    [`/docs/${readerScriptName}`]: {
      type: scriptType,
      content: { tag: readerScriptName, load: loadReaderScript },
      isImmutable: true,
    },
    '/docs/reader.js': readAsset('reader.js', scriptType),
    '/docs/search.js': readAsset('search.js', scriptType),
    '/docs/bar.css': readAsset('bar.css', styleType),
    '/docs/guide.css': readAsset('guide.css', styleType),
    '/docs/icon.svg': readAsset('icon.svg', 'image/svg+xml'),
  };
}

/** A guide loads nothing but its own style, its search and what that looks in. */
const guidePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
];

/**
 * The reader runs its own script alone, which talks to this API and to the authorization server. It writes its styles into
 * the page, so this page allows inline styles; it shows images of answers that it received as `blob:`.
 */
function toReaderPolicy(issuer: string): string[] {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    `connect-src 'self' ${new URL(issuer).origin}`,
  ];
}

function toPage(
  content: string,
  policy: readonly string[],
  headers: Readonly<Record<string, string>> = { 'Cross-Origin-Opener-Policy': 'same-origin' },
): ServedDocument {
  const closed = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return {
    type: htmlType,
    content,
    headers: {
      'Content-Security-Policy': [...policy, ...closed].join('; '),
      'X-Frame-Options': 'DENY',
      ...headers,
    },
  };
}

function readAsset(name: string, type: string): ServedDocument {
  return { type, content: readFileSync(new URL(name, import.meta.url), 'utf8') };
}
