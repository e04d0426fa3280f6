import type { z } from 'zod';
import { escapeXmlAttribute, escapeXmlText } from '../xml/xml-text.ts';
import { compileXmlWriter, XML_DECLARATION } from '../xml/xml-writer.ts';
import type { Format } from './format.ts';

/** Part of a document: text, or bytes that were rendered earlier. */
export type BytePart = string | Buffer;

/** Joins parts into one UTF-8 document. Neighbouring texts are encoded together. */
export function joinBytes(parts: readonly BytePart[]): Buffer {
  const bytes: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    if (text !== '') bytes.push(Buffer.from(text));
    bytes.push(part);
    text = '';
  }
  return Buffer.concat(text === '' ? bytes : [...bytes, Buffer.from(text)]);
}

const comma = Buffer.from(',');

/** Separates the members of a JSON array by commas. */
export function toMembers(members: readonly BytePart[]): BytePart[] {
  const separated: BytePart[] = [];
  for (const member of members) {
    if (separated.length > 0) separated.push(comma);
    separated.push(member);
  }
  return separated;
}

/** Wraps parts in an XML element; `attributes` must be escaped, each with a leading space. */
export function toElementParts(name: string, attributes: string, parts: readonly BytePart[]): BytePart[] {
  if (parts.length === 0) return [`<${name}${attributes}/>`];
  return [`<${name}${attributes}>`, ...parts, `</${name}>`];
}

export interface Page<Resource> {
  items: readonly Resource[];
  /** Opaque cursor of the next page; null on the last page. */
  nextCursor: string | null;
  /** Number of members on all pages, if requested. */
  total?: { total: number; isExact: boolean } | undefined;
  /** Side loads, of the schema given to the renderer. */
  included?: object | undefined;
  /** Entity tags of the items, if they are sent. */
  etags?: readonly string[] | undefined;
}

export interface Renderer<Resource extends object> {
  /** Renders one resource, `{"id":…}` or `<ticket>…</ticket>`, with its entity tag if given. */
  one(format: Format, resource: Resource, etag?: string): Buffer;
  /** Renders the same without an XML declaration, as part of a document. */
  bare(format: Format, resource: Resource, etag?: string): Buffer;
  /** Renders a page: `{"tickets":[…],"next_cursor":…}` or `<tickets next_cursor="…">…</tickets>`. */
  many(format: Format, page: Page<Resource>): Buffer;
}

export interface RendererOptions<Schema extends z.ZodType<object>> {
  schema: Schema;
  singular: string;
  plural: string;
  /** Schema of side loads on pages. */
  included?: z.ZodType<object>;
}

/**
 * Creates a renderer of resources of one schema in UTF-8. The bytes of a frozen resource are cached with its entity tag
 * for the lifetime of the object, so that lists of cached resources only copy bytes instead of joining and encoding
 * text.
 *
 * @throws {Error} when the schema has no XML form (see `compileXmlWriter`)
 */
export function createRenderer<Schema extends z.ZodType<object>>({
  schema,
  singular,
  plural,
  included: includedSchema,
}: RendererOptions<Schema>): Renderer<z.output<Schema>> {
  const writeXml = compileXmlWriter(schema, singular);
  const bare = {
    json: cacheBytes<z.output<Schema>>((resource, etag) => tagJson(JSON.stringify(resource), etag)),
    xml: cacheBytes<z.output<Schema>>((resource, etag) => tagXml(writeXml(resource), etag)),
  };
  const includedXml = includedSchema && compileXmlWriter(includedSchema, 'included');
  return {
    bare: (format, resource, etag) => bare[format](resource, etag),
    one: (format, resource, etag) =>
      format === 'json' ? bare.json(resource, etag) : joinBytes([XML_DECLARATION, bare.xml(resource, etag)]),
    many(format, { items, nextCursor, total, included, etags }) {
      const parts = items.map((item, i): BytePart => bare[format](item, etags?.[i]));
      if (format === 'json') {
        const extras = toExtraMembers({ nextCursor, total, included });
        return joinBytes([`{"${plural}":[`, ...toMembers(parts), `],${extras}}`]);
      }
      if (included && includedXml) parts.push(includedXml(included));
      return joinBytes([
        XML_DECLARATION,
        ...toElementParts(plural, toAttributes({ nextCursor, total }), parts),
      ]);
    },
  };
}

/** Appends the entity tag as the last member. */
function tagJson(text: string, etag: string | undefined): string {
  return etag === undefined ? text : `${text.slice(0, -1)},"etag":${JSON.stringify(etag)}}`;
}

function tagXml(text: string, etag: string | undefined): string {
  if (etag === undefined) return text;
  const end = text.lastIndexOf('</');
  return `${text.slice(0, end)}<etag>${escapeXmlText(etag)}</etag>${text.slice(end)}`;
}

type PageExtras = Omit<Page<unknown>, 'items' | 'etags'>;

/** Returns the members of a page other than its items as part of a JSON object. */
function toExtraMembers({ nextCursor, total, included }: PageExtras): string {
  const members = {
    next_cursor: nextCursor,
    ...(total && { total: total.total, total_is_exact: total.isExact }),
    ...(included && { included }),
  };
  return JSON.stringify(members).slice(1, -1);
}

function toAttributes({ nextCursor, total }: PageExtras): string {
  const cursor = nextCursor === null ? '' : ` next_cursor="${escapeXmlAttribute(nextCursor)}"`;
  return total ? `${cursor} total="${total.total}" total_is_exact="${total.isExact}"` : cursor;
}

/** Caches one rendering of each frozen resource: the one with the most recent entity tag. */
function cacheBytes<Resource extends object>(
  write: (resource: Resource, etag: string | undefined) => string,
): (resource: Resource, etag: string | undefined) => Buffer {
  const written = new WeakMap<Resource, { etag: string | undefined; bytes: Buffer }>();
  return (resource, etag) => {
    const cached = written.get(resource);
    if (cached && cached.etag === etag) return cached.bytes;
    const bytes = Buffer.from(write(resource, etag));
    if (Object.isFrozen(resource)) written.set(resource, { etag, bytes });
    return bytes;
  };
}
