import { isReservedName } from '@keydesk/http';
import type { FieldPath } from './field-path.ts';
import { hasText, type XmlElement } from './read-xml.ts';
import type { ArrayShape, MapShape, ObjectShape, Shape } from './shape.ts';
import { toBoolean, toNumber } from './text-scalars.ts';

/** Takes note of a fault that only XML can have; all the others are left to the schema. */
export type ReportFault = (path: FieldPath, code: string, message: string) => void;

/**
 * What an element means where `shape` is due, mirroring `compileXmlWriter`. Whatever doesn't fit is left for the schema
 * to refuse: text that is no number stays text, an unknown element is an unknown field, elements in place of text are
 * an object.
 */
export function coerceXml(
  element: XmlElement,
  shape: Shape | undefined,
  path: FieldPath,
  report: ReportFault,
): unknown {
  const { nil, type, key } = element.attributes;
  if (key !== undefined) report(path, 'unknown_attribute', 'has the attribute key, which only <field> has');
  if (type !== undefined && shape?.kind !== 'variant') {
    report(path, 'unknown_attribute', 'has the attribute type, but its type is fixed');
  }
  if (nil === undefined || nil === 'false') return coerceContent(element, shape, path, report);
  if (nil !== 'true' || element.text !== '' || element.children.length > 0) {
    report(path, 'invalid_value', 'has an attribute nil that is not "true" or "false", or content beside it');
  }
  return null;
}

function coerceContent(
  element: XmlElement,
  shape: Shape | undefined,
  path: FieldPath,
  report: ReportFault,
): unknown {
  if (!shape) return element.text;
  if (shape.kind === 'variant') return coerceVariant(element, shape.array, path, report);
  if (shape.kind === 'text' || shape.kind === 'number' || shape.kind === 'boolean') {
    return coerceScalar(element, shape.kind);
  }
  if (hasText(element)) return element.text;
  if (shape.kind === 'array') return coerceMembers(element, shape, path, report);
  if (shape.kind === 'map') return coerceEntries(element, shape, path, report);
  return coerceFields(element, shape, path, report);
}

function coerceScalar({ text, children }: XmlElement, kind: 'text' | 'number' | 'boolean'): unknown {
  if (children.length > 0) return {};
  if (kind === 'text') return text;
  return (kind === 'number' ? toNumber(text) : toBoolean(text)) ?? text;
}

function coerceMembers(
  { children }: XmlElement,
  { item, member }: ArrayShape,
  path: FieldPath,
  report: ReportFault,
): unknown[] {
  return children.map((child, index) => {
    const memberPath = [...path, index];
    if (child.name !== item) report(memberPath, 'unknown_field', `must be <${item}>`);
    return coerceXml(child, member, memberPath, report);
  });
}

function coerceFields(
  { children }: XmlElement,
  { fields }: ObjectShape,
  path: FieldPath,
  report: ReportFault,
): object {
  const object = Object.create(null);
  for (const child of children) {
    const fieldPath = [...path, child.name];
    if (child.name in object) report(fieldPath, 'duplicate_field', 'is given more than once');
    object[child.name] = coerceXml(child, fields.get(child.name), fieldPath, report);
  }
  return object;
}

function coerceEntries(
  { children }: XmlElement,
  { member }: MapShape,
  path: FieldPath,
  report: ReportFault,
): object {
  const map = Object.create(null);
  for (const child of children) {
    const { key, ...attributes } = child.attributes;
    if (child.name !== 'field' || key === undefined) {
      report(path, 'unknown_field', `may only have <field key="…">, not <${child.name}>`);
      continue;
    }
    const entryPath = [...path, key];
    if (key in map) report(entryPath, 'duplicate_field', 'is given more than once');
    if (isReservedName(key)) report(entryPath, 'reserved_name', 'is a name that cannot be used');
    map[key] = coerceXml({ ...child, attributes }, member, entryPath, report);
  }
  return map;
}

/** Where several kinds may stand, the element says which it is; text goes without saying. */
function coerceVariant(
  element: XmlElement,
  array: ArrayShape | undefined,
  path: FieldPath,
  report: ReportFault,
): unknown {
  const { type } = element.attributes;
  if (type === undefined) return coerceScalar(element, 'text');
  if (type === 'array' && array) return coerceMembers(element, array, path, report);
  const value = type === 'number' || type === 'boolean' ? coerceScalar(element, type) : undefined;
  if (typeof value !== type) report(path, 'invalid_value', `is not of the type ${JSON.stringify(type)}`);
  return value;
}
