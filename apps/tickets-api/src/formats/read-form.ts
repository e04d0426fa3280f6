import { isReservedName } from '@keydesk/http';
import { MAX_DEPTH, MAX_VALUES, malformed, repeated, reserved, tooDeep, tooMany } from './malformed.ts';

/** What a form says: texts, the lists `name[]`, and the objects `name[member]`. */
export type FormValue = string | string[] | FormObject;
export interface FormObject {
  [name: string]: FormValue;
}

/**
 * Reads `application/x-www-form-urlencoded` with the names that web frameworks have made common: `subject=…`,
 * `requester[email]=…`, `tags[]=a&tags[]=b`.
 *
 * @throws {AppError} `malformed_body` for anything that can't be decoded, is given twice, or contradicts itself
 */
export function readForm(text: string): FormObject {
  // Programs that are told nothing call everything a form, curl among them.
  if (/^\s*[{[<]/.test(text)) {
    throw malformed('The body is JSON or XML; tell so by Content-Type, which says that it is a form.');
  }
  const form: FormObject = Object.create(null);
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > MAX_VALUES) throw tooMany();
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
    throw malformed('The form has a malformed percent-encoding.', cause);
  }
}

/** `a[b][]` → `['a', 'b', '']`: an empty name stands for the next place in a list. */
function toPath(name: string): string[] {
  if (!/^[^[\]]+(?:\[[^[\]]+\])*(?:\[\])?$/.test(name)) {
    throw malformed(`The form has the malformed name ${JSON.stringify(name)}.`);
  }
  const path = name.replaceAll(']', '').split('[');
  if (path.length > MAX_DEPTH) throw tooDeep();
  if (path.some(isReservedName)) throw reserved(path);
  return path;
}

function enter(form: FormObject, path: readonly string[], value: string): void {
  const isListed = path.at(-1) === '';
  const names = isListed ? path.slice(0, -1) : path;
  const object = names.slice(0, -1).reduce((inner, name) => enterObject(inner, name, names), form);
  const last = String(names.at(-1));
  const known = object[last];
  if (known === undefined) object[last] = isListed ? [value] : value;
  else if (isListed && Array.isArray(known)) known.push(value);
  else throw repeated(names);
}

function enterObject(form: FormObject, name: string, path: readonly string[]): FormObject {
  const known = form[name];
  if (typeof known === 'string' || Array.isArray(known)) throw repeated(path);
  if (known) return known;
  const object: FormObject = Object.create(null);
  form[name] = object;
  return object;
}
