import { escapeHtml } from '@keydesk/http';

/** A piece of HTML. Only `html` makes it, so that no text gets into a page unescaped. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | undefined | false | readonly Html[];

/** A template of HTML: texts are escaped, pieces and lists of pieces are put in as they are, false and undefined are left out. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: strings.map((part, i) => (i === 0 ? part : toText(values[i - 1]) + part)).join('') };
}

/** Prose with `code` and paragraphs, as descriptions of the contract have it. */
export function prose(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** A sentence with `code`. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

function toText(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'object')
    return 'html' in value ? value.html : value.map((each) => each.html).join('');
  return escapeHtml(String(value));
}
