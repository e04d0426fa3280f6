/** Reason why JSON text is refused. */
export type JsonFault = 'syntax' | 'too_deep' | 'too_many_values' | 'repeated_name' | 'reserved_name';

/** JSON text that `parseJson` refuses. The message ends a sentence about the text, and is fit for `error_description`. */
export class JsonTextError extends Error {
  readonly fault: JsonFault;
  /** Names and indices from the root to the faulty member; empty for faults of the text as a whole. */
  readonly path: readonly (string | number)[];

  constructor(fault: JsonFault, message: string, path: readonly (string | number)[], options?: ErrorOptions) {
    super(message, options);
    this.name = 'JsonTextError';
    this.fault = fault;
    this.path = path;
  }
}

export interface JsonLimits {
  /** Nesting of arrays and objects. Default: 32. */
  maxDepth?: number;
  /** Values in the whole text. Default: 25,000. */
  maxValues?: number;
}

/** Names of `Object.prototype` are never data: too much code takes them for methods. */
export function isReservedName(name: string): boolean {
  return name in Object.prototype || name === 'prototype';
}

/**
 * Parses JSON text (RFC 8259) more strictly than `JSON.parse`: it refuses names that an object has twice, names of
 * `Object.prototype`, deep nesting and too many values, before anything walks the value.
 *
 * @throws {JsonTextError}
 */
export function parseJson(text: string, limits: JsonLimits = {}): unknown {
  refuseTraps(text, limits);
  return parse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonTextError('syntax', 'is not JSON', [], { cause });
  }
}

/** One pass over the brackets, commas and strings. Text that is not JSON may pass; `JSON.parse` comes after. */
function refuseTraps(text: string, limits: JsonLimits): void {
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
        const end = endOfString(text, at);
        if (structure.isAtName()) structure.name(text.slice(at, end + 1));
        at = end;
      }
    }
  }
}

/** A name as it may stand in a message: sent names can be of any length and characters. */
function quotable(name: string): string {
  return /^[\w#$:.-]{1,100}$/.test(name) ? `the name ${name}` : 'a name';
}

/** The index of the closing quote of the string that opens at `start`, or of the last character. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length - 1);
}

/** An object or array that the scan is inside of. */
interface Container {
  /** Names that an object has had so far; an array has none. */
  names: Set<string> | undefined;
  /** The name or index of the member that the scan is at; an object has none before its first name. */
  step: string | number;
}

/** Follows the scan through the document, and throws at the first fault. */
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
      // Two spellings of a name, such as "a" and "\u0061", are the same name.
      const name = String(parse(quoted));
      const inside = containers.at(-1);
      if (inside) inside.step = name;
      if (isReservedName(name)) refuse('reserved_name', `uses the reserved name ${name}`, containers);
      if (inside?.names?.has(name)) refuse('repeated_name', `repeats ${quotable(name)}`, containers);
      inside?.names?.add(name);
      isAtName = false;
    },
  };
}
