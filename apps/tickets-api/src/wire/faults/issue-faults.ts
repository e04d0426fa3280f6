import type { FieldError } from '@keydesk/errors';
import type { z } from 'zod';

/** Path of a value in a document, from its root: member names and array indices. */
export type FieldPath = readonly PropertyKey[];

const MAX_NAME_LENGTH = 100;

/**
 * Returns the path as error messages show it, such as `requester.email` and `tags[2]`. A name that is not a word is
 * quoted, as in `custom_fields["a b"]`. Very long names are truncated.
 */
export function toFieldName(path: FieldPath): string {
  return path.map(toStep).join('').replace(/^\./, '');
}

function toStep(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = String(step);
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return /^[\w-]+$/.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const forms: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  datetime: 'must be an RFC 3339 time such as 2026-01-31T09:00:00.000Z',
  date: 'must be a date such as 2026-01-31',
  url: 'must be a URL',
};

/**
 * Describes an issue in words that follow the name of the field. Messages of the schema have precedence. To be used as
 * `safeParse(value, { error: describeIssue, reportInput: true })`.
 */
export function describeIssue(issue: RawIssue): string {
  if (isMissing(issue)) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_big':
      return `must ${describeBound(issue.origin, 'most', issue.maximum, issue.inclusive)}`;
    case 'too_small':
      return `must ${describeBound(issue.origin, 'least', issue.minimum, issue.inclusive)}`;
    case 'invalid_format':
      return forms[issue.format] ?? 'has an invalid format';
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_union':
      return `must be ${describeOptions(issue.errors)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
}

/** Converts an issue to faults with stable codes, one fault for each unknown field. */
export function toFaults(issue: Issue, parents: FieldPath = []): FieldError[] {
  const path = [...parents, ...issue.path];
  const { message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: toFieldName([...path, key]), code: 'unknown_field', message }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map((each) => ({
      field: toFieldName(path),
      code: 'invalid_name',
      message: each.message,
    }));
  }
  const matching = hasOwnMessage(issue)
    ? undefined
    : issue.errors.find((errors) => !errors.some(isOtherType));
  if (matching) return matching.flatMap((each) => toFaults(each, path));
  return [{ field: toFieldName(path), code: toCode(issue), message }];
}

/** Whether the message describes the issue as a whole; unions have such a message only if the schema gives one. */
function hasOwnMessage(issue: Issue): issue is Exclude<Issue, z.core.$ZodIssueInvalidUnion> {
  return issue.code !== 'invalid_union' || issue.message !== describeIssue(issue as RawIssue);
}

function toCode(issue: Issue): string {
  if (isMissing(issue)) return 'required';
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'invalid_type';
    case 'invalid_format':
      return 'invalid_format';
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'too_long' : 'too_large';
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'too_short' : 'too_small';
    default:
      return 'invalid_value';
  }
}

/** Whether a field is missing; zod reports that as a value of the wrong type. */
function isMissing(issue: Pick<Issue, 'code' | 'input'>): boolean {
  const { code } = issue;
  return (
    issue.input === undefined &&
    (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union')
  );
}

/** Whether the value has a different type from this option of a union. */
function isOtherType({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function describeOptions(errors: readonly (readonly Issue[])[]): string {
  const names = errors
    .flat()
    .flatMap((issue) => (issue.code === 'invalid_type' ? (kinds[issue.expected] ?? []) : []));
  const last = names.pop() ?? 'of another type';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}

function describeBound(
  origin: string,
  end: 'most' | 'least',
  bound: number | bigint,
  isInclusive = true,
): string {
  if (origin === 'string' && end === 'least' && bound === 1) return 'not be empty';
  if (origin === 'string') return `have at ${end} ${bound} characters`;
  if (origin === 'array') return `have at ${end} ${bound} items`;
  if (isInclusive) return `be at ${end} ${bound}`;
  return `be ${end === 'most' ? 'less' : 'more'} than ${bound}`;
}
