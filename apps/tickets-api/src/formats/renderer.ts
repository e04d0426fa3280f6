import type { z } from 'zod';
import type { Format } from './format.ts';
import { escapeXmlAttribute } from './xml-text.ts';
import { compileXmlWriter, toElement, XML_DECLARATION } from './xml-writer.ts';

export interface Page<Resource> {
  items: readonly Resource[];
  /** Opaque; null on the last page. */
  nextCursor: string | null;
}

export interface Renderer<Resource extends object> {
  /** The bare resource: `{"id":…}` or `<ticket>…</ticket>`. */
  one(format: Format, resource: Resource): string;
  /** `{"tickets":[…],"next_cursor":…}` or `<tickets next_cursor="…">…</tickets>`. */
  many(format: Format, page: Page<Resource>): string;
}

export interface RendererOptions<Schema extends z.ZodType<object>> {
  schema: Schema;
  singular: string;
  plural: string;
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
}: RendererOptions<Schema>): Renderer<z.output<Schema>> {
  const json = remember<z.output<Schema>>(JSON.stringify);
  const xml = remember(compileXmlWriter(schema, singular));
  return {
    one: (format, resource) => (format === 'json' ? json(resource) : XML_DECLARATION + xml(resource)),
    many(format, { items, nextCursor }) {
      if (format === 'json') {
        return `{"${plural}":[${items.map(json).join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
      }
      const cursor = nextCursor === null ? '' : ` next_cursor="${escapeXmlAttribute(nextCursor)}"`;
      return XML_DECLARATION + toElement(plural, cursor, items.map(xml).join(''));
    },
  };
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
