import type { z } from 'zod';
import { type BytePart, joinBytes, toElementParts, toMembers } from './byte-parts.ts';
import type { Format } from './format.ts';
import { escapeXmlAttribute, escapeXmlText } from './xml-text.ts';
import { compileXmlWriter, XML_DECLARATION } from './xml-writer.ts';

export interface Page<Resource> {
  items: readonly Resource[];
  /** Opaque; null on the last page. */
  nextCursor: string | null;
  /** How many there are on all pages, where somebody asked. */
  total?: { total: number; isExact: boolean } | undefined;
  /** What is sent along, of the schema that the renderer was given for it. */
  included?: object | undefined;
  /** The entity tag of each item, where it is sent. */
  etags?: readonly string[] | undefined;
}

export interface Renderer<Resource extends object> {
  /** The bare resource: `{"id":…}` or `<ticket>…</ticket>`, with its entity tag if that is given. */
  one(format: Format, resource: Resource, etag?: string): Buffer;
  /** The same without an XML declaration, as a part of a document. */
  bare(format: Format, resource: Resource, etag?: string): Buffer;
  /** `{"tickets":[…],"next_cursor":…}` or `<tickets next_cursor="…">…</tickets>`. */
  many(format: Format, page: Page<Resource>): Buffer;
}

export interface RendererOptions<Schema extends z.ZodType<object>> {
  schema: Schema;
  singular: string;
  plural: string;
  /** Of what is sent along with a page. */
  included?: z.ZodType<object>;
}

/**
 * Renders resources of one schema in UTF-8. The bytes of a frozen resource are remembered with its entity tag for as long
 * as the object lives, so that a list of resources that a store hands out again is a copy of bytes: as text, each list
 * would be joined, measured and encoded anew.
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
    json: remember<z.output<Schema>>((resource, etag) => tagJson(JSON.stringify(resource), etag)),
    xml: remember<z.output<Schema>>((resource, etag) => tagXml(writeXml(resource), etag)),
  };
  const includedXml = includedSchema && compileXmlWriter(includedSchema, 'included');
  return {
    bare: (format, resource, etag) => bare[format](resource, etag),
    one: (format, resource, etag) =>
      format === 'json' ? bare.json(resource, etag) : joinBytes([XML_DECLARATION, bare.xml(resource, etag)]),
    many(format, { items, nextCursor, total, included, etags }) {
      const parts = items.map((item, i): BytePart => bare[format](item, etags?.[i]));
      if (format === 'json') {
        const beside = toBeside({ nextCursor, total, included });
        return joinBytes([`{"${plural}":[`, ...toMembers(parts), `],${beside}}`]);
      }
      if (included && includedXml) parts.push(includedXml(included));
      return joinBytes([
        XML_DECLARATION,
        ...toElementParts(plural, toAttributes({ nextCursor, total }), parts),
      ]);
    },
  };
}

/** Puts the tag behind the last member. */
function tagJson(text: string, etag: string | undefined): string {
  return etag === undefined ? text : `${text.slice(0, -1)},"etag":${JSON.stringify(etag)}}`;
}

function tagXml(text: string, etag: string | undefined): string {
  if (etag === undefined) return text;
  const end = text.lastIndexOf('</');
  return `${text.slice(0, end)}<etag>${escapeXmlText(etag)}</etag>${text.slice(end)}`;
}

type Beside = Omit<Page<unknown>, 'items' | 'etags'>;

/** The members of a page beside its items, as they stand in an object. */
function toBeside({ nextCursor, total, included }: Beside): string {
  const members = {
    next_cursor: nextCursor,
    ...(total && { total: total.total, total_is_exact: total.isExact }),
    ...(included && { included }),
  };
  return JSON.stringify(members).slice(1, -1);
}

function toAttributes({ nextCursor, total }: Beside): string {
  const cursor = nextCursor === null ? '' : ` next_cursor="${escapeXmlAttribute(nextCursor)}"`;
  return total ? `${cursor} total="${total.total}" total_is_exact="${total.isExact}"` : cursor;
}

/** Remembers one rendering of a frozen resource: that with the entity tag which it was last asked for with. */
function remember<Resource extends object>(
  write: (resource: Resource, etag: string | undefined) => string,
): (resource: Resource, etag: string | undefined) => Buffer {
  const written = new WeakMap<Resource, { etag: string | undefined; bytes: Buffer }>();
  return (resource, etag) => {
    const known = written.get(resource);
    if (known && known.etag === etag) return known.bytes;
    const bytes = Buffer.from(write(resource, etag));
    if (Object.isFrozen(resource)) written.set(resource, { etag, bytes });
    return bytes;
  };
}
