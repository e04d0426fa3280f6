import { isReservedName } from '@keydesk/server';
import type { FieldPath } from '../faults/issue-faults.ts';
import type { ArrayShape, MapShape, ObjectShape, Shape } from '../schema/shape.ts';
import { hasText, type XmlElement } from './read-xml.ts';

/** Parses a number in JSON notation (RFC 8259 §6); `undefined` for any other text. */
export function toNumber(text: string): number | undefined {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

export function toBoolean(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** Receives faults that only XML can have; all others are left to the schema. */
export type ReportFault = (path: FieldPath, code: string, message: string) => void;

/**
 * Coerces an element to the types of a shape, as the inverse of `compileXmlWriter`. Values that do not fit are left for
 * the schema to reject: text that is not a number stays text, an unknown element becomes an unknown field, and child
 * elements in place of text become an object.
 */
export function coerceXml(
  element: XmlElement,
  shape: Shape | undefined,
  path: FieldPath,
  report: ReportFault,
): unknown {
  const { nil, type, key } = element.attributes;
  if (key !== undefined)
    report(path, 'unknown_attribute', 'must not have the attribute key; only <field> has one');
  if (type !== undefined && shape?.kind !== 'variant') {
    report(path, 'unknown_attribute', 'must not have the attribute type; its type is fixed');
  }
  if (nil === undefined || nil === 'false') return coerceContent(element, shape, path, report);
  if (nil !== 'true' || element.text !== '' || element.children.length > 0) {
    report(path, 'invalid_value', 'must have nil="true" without content, or nil="false"');
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
      report(path, 'unknown_field', `must only contain <field key="…">, not <${child.name}>`);
      continue;
    }
    const entryPath = [...path, key];
    if (key in map) report(entryPath, 'duplicate_field', 'is given more than once');
    if (isReservedName(key)) report(entryPath, 'reserved_name', 'is a reserved name; use another name');
    map[key] = coerceXml({ ...child, attributes }, member, entryPath, report);
  }
  return map;
}

/** Coerces a value of several possible types by its `type` attribute; text has none. */
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
  if (typeof value !== type)
    report(path, 'invalid_value', `is not a value of the type ${JSON.stringify(type)}`);
  return value;
}
