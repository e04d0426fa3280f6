import { isReservedName } from '@keydesk/server';
import {
  duplicateField,
  MAX_DEPTH,
  MAX_VALUES,
  malformedBody,
  reservedName,
  tooDeep,
  tooManyValues,
} from '../faults/malformed-body.ts';

/** Value in a form: text, a list `name[]`, or an object `name[member]`. */
export type FormValue = string | string[] | FormObject;
export interface FormObject {
  [name: string]: FormValue;
}

/**
 * Reads `application/x-www-form-urlencoded` with the names that web frameworks commonly use: `subject=…`,
 * `requester[email]=…`, `tags[]=a&tags[]=b`.
 *
 * @throws {AppError} `malformed_body` for invalid encoding, duplicates and contradictory names
 */
export function readForm(text: string): FormObject {
  // Some clients, such as curl, send this Content-Type by default.
  if (/^\s*[{[<]/.test(text)) {
    throw malformedBody(
      'The body looks like JSON or XML, but its Content-Type is that of a form; send the matching Content-Type.',
    );
  }
  const form: FormObject = Object.create(null);
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > MAX_VALUES) throw tooManyValues();
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=');
    enter(form, toPath(decode(name)), decode(value.join('=')));
  }
  return form;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch (cause) {
    throw malformedBody('The form has an invalid percent-encoding.', cause);
  }
}

/** Parses a name: `a[b][]` → `['a', 'b', '']`. An empty segment appends to a list. */
function toPath(name: string): string[] {
  if (!/^[^[\]]+(?:\[[^[\]]+\])*(?:\[\])?$/.test(name)) {
    throw malformedBody(`The form has the invalid name ${JSON.stringify(name)}.`);
  }
  const path = name.replaceAll(']', '').split('[');
  if (path.length > MAX_DEPTH) throw tooDeep();
  if (path.some(isReservedName)) throw reservedName(path);
  return path;
}

function enter(form: FormObject, path: readonly string[], value: string): void {
  const isListed = path.at(-1) === '';
  const names = isListed ? path.slice(0, -1) : path;
  const object = names.slice(0, -1).reduce((inner, name) => enterObject(inner, name, names), form);
  const last = String(names.at(-1));
  const existing = object[last];
  if (existing === undefined) object[last] = isListed ? [value] : value;
  else if (isListed && Array.isArray(existing)) existing.push(value);
  else throw duplicateField(names);
}

function enterObject(form: FormObject, name: string, path: readonly string[]): FormObject {
  const existing = form[name];
  if (typeof existing === 'string' || Array.isArray(existing)) throw duplicateField(path);
  if (existing) return existing;
  const object: FormObject = Object.create(null);
  form[name] = object;
  return object;
}
