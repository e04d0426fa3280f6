import { AppError, type FieldError } from '@keydesk/http';
import type { z } from 'zod';
import { coerceForm } from './coerce-form.ts';
import { coerceXml, type ReportFault } from './coerce-xml.ts';
import { type FieldPath, toFieldName } from './field-path.ts';
import { describeIssue, toFaults } from './issue-faults.ts';
import { isJsonObject } from './json-object.ts';
import type { FormObject } from './read-form.ts';
import type { XmlElement } from './read-xml.ts';
import { compileShape, type Shape } from './shape.ts';
import { isXmlText } from './xml-text.ts';

/** A request body as it was read, before any schema has seen it. JSON says its types, the others are all text. */
export type Body =
  | { format: 'json'; value: unknown }
  | { format: 'xml'; value: XmlElement }
  | { format: 'form'; value: FormObject };

/** More faults than anybody reads; the answer must not grow to many times the request. */
const MAX_FAULTS = 100;

/**
 * Compiles a schema into the function that makes validated input of a body of any format. Scalars of XML and forms
 * become numbers and booleans where the schema wants them, never by their looks; those of JSON stay what they are.
 * Text that XML cannot carry is refused in every format, so that all that is stored has an XML form.
 *
 * @returns a function that throws `AppError('validation_failed')` with every fault of the data
 * @throws {Error} when the schema has no wire format (see `compileShape`)
 */
export function createInputParser<Schema extends z.ZodType>(
  schema: Schema,
): (body: Body) => z.output<Schema> {
  const shape = compileShape(schema, 'input');
  return (body) => {
    const faults: FieldError[] = [];
    const report: ReportFault = (path, code, message) => {
      faults.push({ field: toFieldName(path), code, message });
    };
    const value = coerce(body, shape, report);
    const known = new Set(faults.map(({ field }) => field));
    reportUnwritableText(value, [], report);
    const parsed = schema.safeParse(value, { error: describeIssue, reportInput: true });
    if (parsed.success && faults.length === 0) return parsed.data;

    const issues = parsed.error?.issues.flatMap((issue) => toFaults(issue)) ?? [];
    throw invalid([...faults, ...issues.filter(({ field }) => !known.has(field))]);
  };
}

function coerce(body: Body, shape: Shape, report: ReportFault): unknown {
  if (body.format === 'json') return body.value;
  return body.format === 'xml' ? coerceXml(body.value, shape, [], report) : coerceForm(body.value, shape);
}

function reportUnwritableText(value: unknown, path: FieldPath, report: ReportFault): void {
  if (typeof value === 'string') {
    if (!isXmlText(value))
      report(path, 'invalid_text', 'has a control character, or half of a surrogate pair');
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) reportUnwritableText(each, [...path, index], report);
  } else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      reportUnwritableText(name, [...path, name], report);
      reportUnwritableText(each, [...path, name], report);
    }
  }
}

function invalid(faults: readonly FieldError[]): AppError {
  const errors = faults.slice(0, MAX_FAULTS);
  const more = faults.length - errors.length;
  const detail = `The data is invalid; see errors${more > 0 ? ` (${more} more are not shown)` : ''}.`;
  return new AppError('validation_failed', detail, { errors });
}
