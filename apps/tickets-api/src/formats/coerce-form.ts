import type { FormValue } from './read-form.ts';
import type { MapShape, ObjectShape, Shape } from './shape.ts';
import { toBoolean, toNumber } from './text-scalars.ts';

/**
 * What a form says where `shape` is due. A form knows texts only, so an empty one is the only way to say null to a field
 * that may be null, and `tags=` the only way to say an empty list. Whatever doesn't fit is left for the schema to refuse.
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
