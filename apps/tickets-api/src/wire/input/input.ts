import type { FieldError } from '@keydesk/errors';
import type { z } from 'zod';
import { describeIssue, type FieldPath, toFaults, toFieldName } from '../faults/issue-faults.ts';
import { invalidBody } from '../faults/validation-errors.ts';
import { isJsonObject, type JsonObject } from '../schema/json-object.ts';
import { compileShape, type MapShape, type ObjectShape, type Shape } from '../schema/shape.ts';
import { coerceXml, type ReportFault, toBoolean, toNumber } from '../xml/coerce-xml.ts';
import type { XmlElement } from '../xml/read-xml.ts';
import { isXmlText } from '../xml/xml-text.ts';
import type { FormObject, FormValue } from './read-form.ts';

/** Request body as it was read, before validation. JSON values have types; in other formats all values are text. */
export type Body =
  | { format: 'json'; value: unknown }
  | { format: 'xml'; value: XmlElement }
  | { format: 'form'; value: FormObject };

/**
 * Finds faults that the schema cannot express, such as undefined ids.
 *
 * @param members members of a rejected body that match the schema
 */
export type FindFaults = (members: JsonObject) => readonly FieldError[];

/**
 * Compiles a schema into a function that validates bodies of any format. Scalars of XML and forms are converted to
 * numbers and booleans by the types of the schema, never by how they look; JSON values are not converted. Text that XML
 * cannot represent is rejected in every format, so that all stored data has an XML form.
 *
 * @returns a function that throws `AppError('validation_failed')` with every fault, including those of
 * `findFaults`, which is called for rejected bodies only
 * @throws {Error} when the schema has no wire format (see `compileShape`)
 */
export function createInputParser<Schema extends z.ZodType>(
  schema: Schema,
): (body: Body, findFaults?: FindFaults) => z.output<Schema> {
  const shape = compileShape(schema, 'input');
  return (body, findFaults = () => []) => {
    const faults: FieldError[] = [];
    const report: ReportFault = (path, code, message) => {
      faults.push({ field: toFieldName(path), code, message });
    };
    const value = coerce(body, shape, report);
    const reported = new Set(faults.map(({ field }) => field));
    reportInvalidText(value, [], report);
    const parsed = schema.safeParse(value, { error: describeIssue, reportInput: true });
    if (parsed.success && faults.length === 0) return parsed.data;

    const issues = parsed.error?.issues.flatMap((issue) => toFaults(issue)) ?? [];
    const found = [...faults, ...issues.filter(({ field }) => !reported.has(field))];
    throw invalidBody([...found, ...findFaults(withoutFaulty(value, found))]);
  };
}

/** The members of which no part has a fault. */
function withoutFaulty(value: unknown, faults: readonly FieldError[]): JsonObject {
  const faulty = new Set(faults.map(({ field }) => /^[^.[]*/.exec(field)?.[0]));
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([name]) => !faulty.has(name)));
}

function coerce(body: Body, shape: Shape, report: ReportFault): unknown {
  if (body.format === 'json') return body.value;
  return body.format === 'xml' ? coerceXml(body.value, shape, [], report) : coerceForm(body.value, shape);
}

function reportInvalidText(value: unknown, path: FieldPath, report: ReportFault): void {
  if (typeof value === 'string') {
    if (!isXmlText(value))
      report(path, 'invalid_text', 'must not contain control characters or unpaired surrogates');
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) reportInvalidText(each, [...path, index], report);
  } else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      reportInvalidText(name, [...path, name], report);
      reportInvalidText(each, [...path, name], report);
    }
  }
}

/**
 * Coerces a form value to the types of a shape. Forms only have strings: an empty one means null for a nullable field,
 * and `tags=` means an empty list. Values that do not fit are left unchanged for the schema to reject.
 */
function coerceForm(value: FormValue, shape: Shape | undefined): unknown {
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
