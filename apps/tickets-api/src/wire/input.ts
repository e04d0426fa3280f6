import type { FieldError } from '@keydesk/errors';
import type { z } from 'zod';
import { coerceForm } from './coerce-form.ts';
import { coerceXml, type ReportFault } from './coerce-xml.ts';
import { type FieldPath, toFieldName } from './field-path.ts';
import { describeIssue, toFaults } from './issue-faults.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { FormObject } from './read-form.ts';
import type { XmlElement } from './read-xml.ts';
import { compileShape, type Shape } from './shape.ts';
import { invalidBody } from './validation-errors.ts';
import { isXmlText } from './xml-text.ts';

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
 * Compiles a schema into a function that validates bodies of any format. Scalars of XML and forms are converted to numbers and
 * booleans by the types of the schema, never by how they look; JSON values are not converted. Text that XML cannot represent
 * is rejected in every format, so that all stored data has an XML form.
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
