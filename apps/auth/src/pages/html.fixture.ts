/** Element of a page, with its content. */
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

// Tags, `name="value"` with escaped values, and text without "<", as our templates write them.
const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*\/?>|([^<]+)/y;
const ATTRIBUTE = /([a-zA-Z-]+)(?:="([^"]*)")?/g;

/**
 * Parses a page more strictly than any browser, so that markup injected by a value is detected.
 *
 * @throws {Error} if the page is not well-formed
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
  if (attributes.size !== pairs.length) throw new Error(`Duplicate attribute: ${text}`);
  return attributes;
}

function decode(text: string): string {
  return text.replace(/&(?:\w+|#\d+);/g, (entity) => entities[entity] ?? entity);
}

/** Returns every element, or every `name` element, in document order. */
export function findAll(root: HtmlElement, name?: string): readonly HtmlElement[] {
  return root.children
    .filter((child) => typeof child !== 'string')
    .flatMap((child) => [child, ...findAll(child)])
    .filter((element) => name === undefined || element.name === name);
}

/** Returns the text of an element, with white space collapsed as in a browser. */
export function textOf(element: HtmlElement): string {
  const text = element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join(' ');
  return text.replace(/\s+/g, ' ').trim();
}
