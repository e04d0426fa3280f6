import type { FieldPath } from './field-path.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { isReservedName, MAX_DEPTH, malformed, repeated, reserved, tooDeep } from './malformed.ts';

/** An object or array that the scan is inside of. */
interface Container {
  /** The names that an object has had so far; an array has none. */
  names: Set<string> | undefined;
  /** The member that the scan is at. */
  step: string | number;
}

/**
 * Reads the text of a JSON object (RFC 8259). What `JSON.parse` lets pass is refused before it runs: nesting deeper
 * than `MAX_DEPTH`, names that an object has twice, and names of `Object.prototype`.
 *
 * @throws {AppError} `malformed_body`
 */
export function readJson(text: string): JsonObject {
  refuseTraps(text);
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw malformed('The body must be a JSON object.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(`The body is not JSON: ${cause instanceof Error ? cause.message : cause}.`, cause);
  }
}

/** One pass over the brackets, commas and strings. Text that is not JSON may pass; `JSON.parse` comes after. */
function refuseTraps(text: string): void {
  const containers: Container[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const inside = containers.at(-1);
    switch (text[at]) {
      case '{':
      case '[':
        isName = text[at] === '{';
        containers.push({ names: isName ? new Set() : undefined, step: 0 });
        if (containers.length > MAX_DEPTH) throw tooDeep();
        break;
      case '}':
      case ']':
        containers.pop();
        break;
      case ',':
        isName = inside?.names !== undefined;
        if (typeof inside?.step === 'number') inside.step++;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isName) enter(containers, toName(text.slice(at, end + 1)));
        isName = false;
        at = end;
      }
    }
  }
}

/** The index of the closing quote of the string that opens at `start`, or of the last character. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length - 1);
}

/** Two spellings of a name, such as `"a"` and `"\u0061"`, are the same name. */
function toName(quoted: string): string {
  return String(parse(quoted));
}

function enter(containers: readonly Container[], name: string): void {
  const inside = containers.at(-1);
  if (!inside?.names) return;
  inside.step = name;
  if (isReservedName(name)) throw reserved(pathTo(containers));
  if (inside.names.has(name)) throw repeated(pathTo(containers));
  inside.names.add(name);
}

function pathTo(containers: readonly Container[]): FieldPath {
  return containers.map(({ step }) => step);
}
