import type { MediaType } from '../openapi/document.ts';

/** An example as it goes over the wire. */
export function toWireText(type: string, { example }: MediaType): string {
  if (typeof example === 'string') return example;
  if (type === 'application/x-www-form-urlencoded') return toForm(example as Record<string, unknown>);
  return JSON.stringify(example);
}

/** The same for people: in lines, where the format allows it. */
export function toReadableText(type: string, media: MediaType): string {
  const text = toWireText(type, media);
  if (type.includes('json')) return JSON.stringify(JSON.parse(text), null, 2);
  return type.includes('xml') ? indentXml(text) : text;
}

/** A line for each element; an element that holds text stays in one line. */
function indentXml(xml: string): string {
  let depth = 0;
  return xml
    .replace(/<\?xml.*?\?>\s*/, '')
    .replace(/></g, '>\n<')
    .split('\n')
    .map((line) => {
      if (line.startsWith('</')) depth--;
      const indented = '  '.repeat(depth) + line;
      if (/^<[^/!?][^>]*[^/]>$/.test(line) || /^<\w+>$/.test(line)) depth++;
      return indented;
    })
    .join('\n');
}

/** `requester[email]=…`, `tags[]=…` */
function toForm(members: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (Array.isArray(value)) for (const each of value) form.append(name, String(each));
    else if (typeof value === 'object' && value !== null) {
      for (const [member, each] of Object.entries(value)) form.append(`${name}[${member}]`, String(each));
    } else form.append(name, String(value));
  }
  return form.toString();
}
