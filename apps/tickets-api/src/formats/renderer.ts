import type { z } from 'zod';
import type { Format } from './format.ts';
import { escapeXmlAttribute, escapeXmlText } from './xml-text.ts';
import { compileXmlWriter, toElement, XML_DECLARATION } from './xml-writer.ts';

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
  one(format: Format, resource: Resource, etag?: string): string;
  /** The same without an XML declaration, as a part of a document. */
  bare(format: Format, resource: Resource, etag?: string): string;
  /** `{"tickets":[…],"next_cursor":…}` or `<tickets next_cursor="…">…</tickets>`. */
  many(format: Format, page: Page<Resource>): string;
}

export interface RendererOptions<Schema extends z.ZodType<object>> {
  schema: Schema;
  singular: string;
  plural: string;
  /** Of what is sent along with a page. */
  included?: z.ZodType<object>;
}

/**
 * Renders resources of one schema. What a frozen resource looks like is remembered for as long as the object lives,
 * so that a list of resources that a store hands out again is a join of strings.
 *
 * @throws {Error} when the schema has no XML form (see `compileXmlWriter`)
 */
export function createRenderer<Schema extends z.ZodType<object>>({
  schema,
  singular,
  plural,
  included: includedSchema,
}: RendererOptions<Schema>): Renderer<z.output<Schema>> {
  const json = remember<z.output<Schema>>(JSON.stringify);
  const xml = remember(compileXmlWriter(schema, singular));
  const includedXml = includedSchema && compileXmlWriter(includedSchema, 'included');
  return {
    one: (format, resource, etag) =>
      format === 'json' ? tagJson(json(resource), etag) : XML_DECLARATION + tagXml(xml(resource), etag),
    bare: (format, resource, etag) =>
      format === 'json' ? tagJson(json(resource), etag) : tagXml(xml(resource), etag),
    many(format, { items, nextCursor, total, included, etags }) {
      if (format === 'json') {
        const beside = toBeside({ nextCursor, total, included });
        return `{"${plural}":[${items.map((item, i) => tagJson(json(item), etags?.[i])).join(',')}],${beside}}`;
      }
      const elements = items.map((item, i) => tagXml(xml(item), etags?.[i]));
      const content = elements.join('') + (included && includedXml ? includedXml(included) : '');
      return XML_DECLARATION + toElement(plural, toAttributes({ nextCursor, total }), content);
    },
  };
}

/** Puts the tag behind the last member: what is remembered of a resource is the same in every epoch. */
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

function remember<Resource extends object>(
  write: (resource: Resource) => string,
): (resource: Resource) => string {
  const written = new WeakMap<Resource, string>();
  return (resource) => {
    const known = written.get(resource);
    if (known !== undefined) return known;
    const text = write(resource);
    if (Object.isFrozen(resource)) written.set(resource, text);
    return text;
  };
}
