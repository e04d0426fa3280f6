import type { MediaType } from '../openapi/document.ts';

/** Encodes an example as a client sends it. */
export function toWireText(type: string, { example }: MediaType): string {
  if (typeof example === 'string') return example;
  if (type === 'application/x-www-form-urlencoded') return toForm(example as Record<string, unknown>);
  return JSON.stringify(example);
}

/** Encodes an object as a form: `requester[email]=…`, `tags[]=…`. */
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
