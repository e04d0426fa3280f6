import type { FormValue } from './read-form.ts';
import type { MapShape, ObjectShape, Shape } from './shape.ts';
import { toBoolean, toNumber } from './text-scalars.ts';

/**
 * Coerces a form value to the types of a shape. Forms only have strings: an empty one means null for a nullable field, and
 * `tags=` means an empty list. Values that do not fit are left unchanged for the schema to reject.
 */
export function coerceForm(value: FormValue, shape: Shape | undefined): unknown {
  if (!shape) return value;
  if (typeof value === 'string') return coerceText(value, shape);
  if (Array.isArray(value)) {
    const array = shape.kind === 'variant' ? shape.array : shape;
    return array?.kind === 'array' ? value.map((each) => coerceForm(each, array.member)) : value;
  }
  if (shape.kind !== 'object' && shape.kind !== 'map') return value;
  const members = Object.entries(value).map(([name, each]) => [
    name,
    coerceForm(each, toMember(shape, name)),
  ]);
  return Object.fromEntries(members);
}

function toMember(shape: ObjectShape | MapShape, name: string): Shape | undefined {
  return shape.kind === 'map' ? shape.member : shape.fields.get(name);
}

function coerceText(text: string, shape: Shape): unknown {
  if (shape.kind === 'variant') return text;
  if (text === '') return coerceEmpty(shape);
  if (shape.kind === 'number') return toNumber(text) ?? text;
  return shape.kind === 'boolean' ? (toBoolean(text) ?? text) : text;
}

function coerceEmpty({ isNullable, kind }: Shape): unknown {
  if (isNullable) return null;
  if (kind === 'array') return [];
  return kind === 'map' ? {} : '';
}
