import { readFileSync } from 'node:fs';
import { contentTypes } from '../../wire/output/format.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { ServedDocument } from '../served-document.ts';
import {
  type DescribedOperation,
  describeOperations,
  renderOperations,
  toReaderAnchor,
} from './described-operations.ts';
import { renderGuidePage } from './guide-page.ts';
import { type GuideGroup, readGuides } from './guides.ts';
import { toReaderDocument } from './reader-document.ts';
import {
  loadReaderScript,
  type ReaderOptions,
  readerScriptName,
  renderReaderPage,
  renderSignedInPage,
} from './reader-page.ts';

const htmlType = 'text/html; charset=utf-8';
const styleType = 'text/css; charset=utf-8';
const scriptType = 'text/javascript; charset=utf-8';

/** Creates the documentation pages by path: guides at `/docs`, and the API reader at `/docs/reference`. */
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
      // The reader opens the sign-in in a window and reads the authorization code from it.
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    }),
    // Any other policy would sever the reader's reference to this window, since the pages of the server have none.
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

/** Content Security Policy of guides: only their own style, script and search index. */
const guidePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
];

/**
 * Returns the Content Security Policy of the reader. Its own script calls this API and the authorization server. It
 * needs inline styles because it generates them, and `blob:` to show images of responses.
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

/** Entry of the search index. */
export interface SearchEntry {
  title: string;
  /** Title of the page for a section; method and path for an operation. */
  where: string;
  /** URL below `/docs`, with anchor. */
  address: string;
  text: string;
}

/** Creates the search index over the sections of all guides and all operations. */
function createSearchIndex(
  groups: readonly GuideGroup[],
  operations: readonly DescribedOperation[],
): SearchEntry[] {
  const sections = groups.flatMap(({ guides }) =>
    guides.flatMap(({ slug, title, sections }) =>
      sections.map(({ id, heading, text }) => ({
        title: heading,
        where: title,
        address: `${slug}#${id}`,
        text,
      })),
    ),
  );
  const references = operations.map(({ id, tag, method, path, summary, description = '' }) => ({
    title: summary,
    where: `${method} ${path}`,
    address: `reference#${toReaderAnchor({ tag, id })}`,
    text: description,
  }));
  return [...sections, ...references];
}
