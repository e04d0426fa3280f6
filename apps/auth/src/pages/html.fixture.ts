/** An element of a page, with what is in it. */
export interface HtmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly (HtmlElement | string)[];
}

const voidElements: ReadonlySet<string> = new Set(['meta', 'link', 'input', 'img', 'source', 'path']);
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

// Names, `name="value"` with everything dangerous escaped, and text without "<": what our templates write.
const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*\/?>|([^<]+)/y;
const ATTRIBUTE = /([a-zA-Z-]+)(?:="([^"]*)")?/g;

/**
 * Reads a page with less tolerance than any browser, so that nothing that escaped its place goes unseen.
 *
 * @throws {Error} where the page is not well-formed.
 */
export function parseHtml(html: string): HtmlElement {
  const root = {
    name: '#root',
    attributes: new Map<string, string>(),
    children: [] as (HtmlElement | string)[],
  };
  const open = [root];
  TOKEN.lastIndex = html.indexOf('>') + 1;
  while (TOKEN.lastIndex < html.length) {
    const position = TOKEN.lastIndex;
    const token = TOKEN.exec(html);
    const parent = open.at(-1);
    if (token === null || parent === undefined)
      throw new Error(`Not well-formed at "${html.slice(position, position + 80)}".`);
    const [, closing, name = '', attributes = '', text] = token;
    if (text !== undefined) parent.children.push(decode(text));
    else if (closing) closeElement(open, name);
    else {
      const element = { name, attributes: readAttributes(attributes), children: [] };
      parent.children.push(element);
      if (!voidElements.has(name)) open.push(element);
    }
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)?.name}> is not closed.`);
  return root;
}

function closeElement(open: HtmlElement[], name: string): void {
  const last = open.pop();
  if (last?.name !== name) throw new Error(`</${name}> closes <${last?.name}>.`);
}

function readAttributes(text: string): Map<string, string> {
  const pairs = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', value = '']) => [name, decode(value)] as const,
  );
  const attributes = new Map(pairs);
  if (attributes.size !== pairs.length) throw new Error(`An attribute is there twice: ${text}`);
  return attributes;
}

function decode(text: string): string {
  return text.replace(/&(?:\w+|#\d+);/g, (entity) => entities[entity] ?? entity);
}

/** Every element in document order, `name` only if given. */
export function findAll(root: HtmlElement, name?: string): readonly HtmlElement[] {
  return root.children
    .filter((child) => typeof child !== 'string')
    .flatMap((child) => [child, ...findAll(child)])
    .filter((element) => name === undefined || element.name === name);
}

/** All text in an element, with white space as a browser shows it. */
export function textOf(element: HtmlElement): string {
  const text = element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join(' ');
  return text.replace(/\s+/g, ' ').trim();
}
