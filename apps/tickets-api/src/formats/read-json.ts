import { isJsonObject, type JsonObject } from './json-object.ts';
import {
  isReservedName,
  MAX_DEPTH,
  MAX_VALUES,
  malformed,
  repeated,
  reserved,
  tooDeep,
  tooMany,
} from './malformed.ts';

/**
 * Reads the text of a JSON object (RFC 8259). What `JSON.parse` lets pass is refused before it runs: nesting deeper
 * than `MAX_DEPTH`, more than `MAX_VALUES` values, names that an object has twice, and names of `Object.prototype`.
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
  const structure = createStructure();
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
        structure.open(new Set());
        break;
      case '[':
        structure.open(undefined);
        break;
      case '}':
      case ']':
        structure.close();
        break;
      case ',':
        structure.next();
        break;
      case '"': {
        const end = endOfString(text, at);
        if (structure.isAtName()) structure.name(text.slice(at, end + 1));
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

/** An object or array that the scan is inside of. */
interface Container {
  /** The names that an object has had so far; an array has none. */
  names: Set<string> | undefined;
  /** The name or index of the member that the scan is at; an object has none before its first name. */
  step: string | number;
}

/** Follows the scan through the document, and throws at the first thing that must not be. */
function createStructure() {
  const containers: Container[] = [];
  let isAtName = false;
  let values = 0;

  function enter(names: Set<string> | undefined): void {
    if (++values > MAX_VALUES) throw tooMany();
    isAtName = names !== undefined;
  }

  return {
    isAtName: () => isAtName,
    open(names: Set<string> | undefined) {
      enter(names);
      containers.push({ names, step: 0 });
      if (containers.length > MAX_DEPTH) throw tooDeep();
    },
    close: () => containers.pop(),
    next() {
      const inside = containers.at(-1);
      enter(inside?.names);
      if (typeof inside?.step === 'number') inside.step++;
    },
    name(quoted: string) {
      // Two spellings of a name, such as "a" and "\u0061", are the same name.
      const name = String(parse(quoted));
      const inside = containers.at(-1);
      if (inside) inside.step = name;
      const path = () => containers.map(({ step }) => step);
      if (isReservedName(name)) throw reserved(path());
      if (inside?.names?.has(name)) throw repeated(path());
      inside?.names?.add(name);
      isAtName = false;
    },
  };
}
