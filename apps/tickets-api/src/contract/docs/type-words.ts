import type { WireSchema } from '../openapi/document.ts';
import { type Html, html } from './html.ts';

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
};
const formats: Readonly<Record<string, string>> = {
  'date-time': 'time (RFC 3339)',
  date: 'date (RFC 3339)',
  uuid: 'UUID',
  email: 'e-mail address',
  uri: 'URL',
};

/** Says in words what a value may be. */
export function describeType(schema: WireSchema): Html {
  const parts = [
    toKind(schema),
    ...toBounds(schema),
    schema.readOnly && html`, read-only`,
    schema.default !== undefined && html`, by default <code>${toText(schema.default)}</code>`,
  ];
  return html`${parts.filter((part) => typeof part === 'object')}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function toKind(schema: WireSchema): Html {
  if (schema.enum)
    return html`one of ${join(
      schema.enum.map((word) => html`<code>${String(word)}</code>`),
      ' ',
    )}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.anyOf) return html`(${join(schema.anyOf.map(describeType), '; ')})`;
  const types = [schema.type ?? []].flat();
  const orNull = types.includes('null') && html` or null`;
  if (schema.items) return html`list of ${describeType(schema.items)}${orNull}`;
  if (typeof schema.additionalProperties === 'object') {
    return html`map of ${describeType(schema.additionalProperties)}${orNull}`;
  }
  const [type = ''] = types;
  return html`${formats[schema.format ?? ''] ?? kinds[type] ?? 'anything'}${orNull}`;
}

function toBounds(schema: WireSchema): (Html | undefined)[] {
  const { minLength, maxLength, minimum, maximum, maxItems, maxProperties, uniqueItems } = schema;
  return [
    toRange(minLength, maxLength, ' characters'),
    toRange(minimum, maximum, ''),
    toRange(undefined, maxItems ?? maxProperties, ' of them'),
    uniqueItems ? html`, no repeats` : undefined,
  ];
}

function toRange(least: number | undefined, most: number | undefined, of: string): Html | undefined {
  if (least !== undefined && most !== undefined) return html`, ${least} to ${most}${of}`;
  if (most !== undefined) return html`, at most ${most}${of}`;
  return least === undefined ? undefined : html`, at least ${least}${of}`;
}

function join(parts: readonly Html[], separator: string): Html {
  return html`${parts.flatMap((part, i) => (i === 0 ? [part] : [html`${separator}`, part]))}`;
}
