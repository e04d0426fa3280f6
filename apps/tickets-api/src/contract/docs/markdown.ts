import { Marked, type Token, type Tokens } from 'marked';
import { type Html, html } from './html.ts';

/** Rendered page of Markdown with its outline and the text to search. */
export interface RenderedMarkdown {
  title: string;
  body: Html;
  sections: readonly Section[];
}

/** Heading with the text up to the next heading. */
export interface Section {
  id: string;
  level: number;
  heading: string;
  text: string;
}

/** Resolves the target of a link; `undefined` removes the link and keeps its text. */
export type ResolveLink = (href: string) => string | undefined;

/**
 * Renders GitHub Flavored Markdown. Headings get the same ids as on GitHub. Raw HTML is dropped, and text and
 * attributes are escaped, so that a page contains only the elements below.
 */
export function renderMarkdown(markdown: string, resolveLink: ResolveLink): RenderedMarkdown {
  const ids = createHeadingIds();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: () => '',
      image: ({ text }) => html`${text}`.html,
      heading({ tokens, depth, text }) {
        const id = ids(toText(tokens, text));
        return html`<h${depth} id="${id}">${{ html: this.parser.parseInline(tokens) }}</h${depth}>\n`.html;
      },
      link({ href, tokens }) {
        const text = { html: this.parser.parseInline(tokens) };
        const target = resolveLink(href);
        return target === undefined ? text.html : html`<a href="${target}">${text}</a>`.html;
      },
      code: ({ text }) => html`<pre tabindex="0"><code>${text}\n</code></pre>\n`.html,
      table(token) {
        return html`<div class="scroll" tabindex="0">${{ html: renderTable(token, this.parser) }}</div>\n`
          .html;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const sections = toSections(tokens);
  return { title: sections[0]?.heading ?? '', body: { html: marked.parser(tokens) }, sections };
}

interface InlineParser {
  parseInline(tokens: Token[]): string;
}

function renderTable({ header, rows }: Tokens.Table, parser: InlineParser): string {
  const cell = ({ tokens }: Tokens.TableCell): Html => ({ html: parser.parseInline(tokens) });
  return html`<table>
    <thead><tr>${header.map((each) => html`<th scope="col">${cell(each)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((each) => html`<td>${cell(each)}</td>`)}</tr>`)}</tbody>
  </table>`.html;
}

function toSections(tokens: readonly Token[]): Section[] {
  const ids = createHeadingIds();
  const sections: Section[] = [];
  for (const token of tokens) {
    const text = toText([token], token.raw);
    if (token.type === 'heading')
      sections.push({ id: ids(text), level: token.depth, heading: text, text: '' });
    else {
      const section = sections.at(-1);
      if (section && text) section.text = `${section.text} ${text}`.trim();
    }
  }
  return sections;
}

/** Returns the plain text of tokens in one line. */
function toText(tokens: readonly Token[], raw: string): string {
  const texts = tokens.map((token) => {
    if (token.type === 'html' || token.type === 'space') return '';
    if (token.type === 'table') return tableText(token as Tokens.Table);
    if (token.type === 'list') return toText((token as Tokens.List).items, '');
    if ('tokens' in token && token.tokens) return toText(token.tokens, '');
    return 'text' in token ? String(token.text) : raw;
  });
  const isBlocks = tokens.some(({ type }) => type === 'list_item' || type === 'paragraph');
  return texts
    .join(isBlocks ? ' ' : '')
    .replace(/\s+/g, ' ')
    .trim();
}

function tableText({ header, rows }: Tokens.Table): string {
  return [header, ...rows]
    .flat()
    .map(({ tokens, text }) => toText(tokens, text))
    .join(' ');
}

/** Creates heading ids like GitHub: lower case, without punctuation, numbered where they repeat. */
function createHeadingIds(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const id = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}
