/** Reason for rejecting JSON text. */
export type JsonFault = 'syntax' | 'too_deep' | 'too_many_values' | 'repeated_name' | 'reserved_name';

/** `parseJson` rejected a text. The message is a predicate ("is not JSON") that suits `error_description`. */
export class JsonTextError extends Error {
  readonly fault: JsonFault;
  /** Names and indices from the root to the invalid member; empty for errors of the whole text. */
  readonly path: readonly (string | number)[];

  constructor(fault: JsonFault, message: string, path: readonly (string | number)[], options?: ErrorOptions) {
    super(message, options);
    this.name = 'JsonTextError';
    this.fault = fault;
    this.path = path;
  }
}

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. Default: 32. */
  maxDepth?: number;
  /** Maximum number of values. Default: 25,000. */
  maxValues?: number;
}

/** Whether a name belongs to `Object.prototype`; such names are rejected because code may call them as methods. */
export function isReservedName(name: string): boolean {
  return name in Object.prototype || name === 'prototype';
}

/**
 * Parses JSON text (RFC 8259) and rejects duplicate names, names of `Object.prototype`, deep nesting and too many
 * values before any code walks the result.
 *
 * @throws {JsonTextError}
 */
export function parseJson(text: string, limits: JsonLimits = {}): unknown {
  checkStructure(text, limits);
  return parse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonTextError('syntax', 'is not JSON', [], { cause });
  }
}

/** Checks brackets, commas and strings in one pass. Invalid JSON may pass; `JSON.parse` rejects it afterwards. */
function checkStructure(text: string, limits: JsonLimits): void {
  const structure = createStructure(limits);
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
        const end = findStringEnd(text, at);
        if (structure.isAtName()) structure.name(text.slice(at, end + 1));
        at = end;
      }
    }
  }
}

/** Describes a name in a message; quotes only short names of safe characters. */
function describeName(name: string): string {
  return /^[\w#$:.-]{1,100}$/.test(name) ? `the name ${name}` : 'a name';
}

/** Returns the index of the closing quote of the string at `start`, or of the last character. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length - 1);
}

/** An object or array around the scan position. */
interface Container {
  /** Names of the object so far; `undefined` for an array. */
  names: Set<string> | undefined;
  /** Name or index of the current member. */
  step: string | number;
}

/** Tracks the structure of the document during the scan; throws at the first error. */
function createStructure({ maxDepth = 32, maxValues = 25_000 }: JsonLimits) {
  const containers: Container[] = [];
  let isAtName = false;
  let values = 0;

  function refuse(fault: JsonFault, message: string, path: Container[] = []): never {
    throw new JsonTextError(
      fault,
      message,
      path.map(({ step }) => step),
    );
  }

  function enter(names: Set<string> | undefined): void {
    if (++values > maxValues) refuse('too_many_values', `has more than ${maxValues} values`);
    isAtName = names !== undefined;
  }

  return {
    isAtName: () => isAtName,
    open(names: Set<string> | undefined) {
      enter(names);
      containers.push({ names, step: 0 });
      if (containers.length > maxDepth) refuse('too_deep', `is nested deeper than ${maxDepth} levels`);
    },
    close: () => containers.pop(),
    next() {
      const inside = containers.at(-1);
      enter(inside?.names);
      if (typeof inside?.step === 'number') inside.step++;
    },
    name(quoted: string) {
      // "a" and "\u0061" are the same name.
      const name = String(parse(quoted));
      const inside = containers.at(-1);
      if (inside) inside.step = name;
      if (isReservedName(name)) refuse('reserved_name', `uses the reserved name ${name}`, containers);
      if (inside?.names?.has(name)) refuse('repeated_name', `repeats ${describeName(name)}`, containers);
      inside?.names?.add(name);
      isAtName = false;
    },
  };
}
