import { escapeHtml } from '@keydesk/server';

/** HTML fragment. Only `html` creates it, so that no text gets into a page unescaped. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | undefined | false | readonly Html[];

/** Template tag for HTML: escapes text, inserts fragments and lists of fragments, and omits false and undefined. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: strings.map((part, i) => (i === 0 ? part : toText(values[i - 1]) + part)).join('') };
}

function toText(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'object')
    return 'html' in value ? value.html : value.map((each) => each.html).join('');
  return escapeHtml(String(value));
}
