import { isDeepStrictEqual } from 'node:util';
import { AppError, type FieldError } from '@keydesk/http';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { timestamp } from './timestamp.ts';
import { isUuid } from './uuid.ts';

export interface ReadOnlyMembers<Resource> {
  /** What the resource is called. */
  what: string;
  /** Those that never change. */
  lasting: readonly (keyof Resource & string)[];
  /** Those that the server changes. */
  moving: readonly (keyof Resource & string)[];
}

/** The read-only members of a resource, which a request may send back as they were read. */
export interface ReadOnly<Resource> {
  /** The members of a request, read-only and writable apart. */
  divide(members: object): { read: JsonObject; written: JsonObject };
  /**
   * An old `version` or `updated_at` means that the caller edited an outdated copy.
   *
   * @throws {AppError} `precondition_failed` with the current resource; `validation_failed` for another value
   */
  check(current: Resource, read: JsonObject): void;
}

const counting = ['version', 'updated_at'] as const;

export function createReadOnly<Resource extends { version: number; updated_at: string }>(
  members: ReadOnlyMembers<Resource>,
): ReadOnly<Resource> {
  const { what, lasting, moving } = members;
  const names = new Set<string>([...lasting, ...moving, ...counting, 'etag']);
  return {
    divide(given) {
      const entries = Object.entries(given);
      return {
        read: Object.fromEntries(entries.filter(([name]) => names.has(name))),
        written: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
      };
    },
    check(current, read) {
      const differs = (name: keyof Resource & string) =>
        read[name] !== undefined && !isDeepStrictEqual(toComparable(read[name]), toComparable(current[name]));
      refuse(current, lasting.filter(differs));
      if (counting.some(differs)) throw staleVersion(current, what);
      refuse(current, moving.filter(differs));
    },
  };
}

/** Programs that take a resource apart into ids and times write them back in ways of their own. */
function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable);
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toComparable(each)]));
  }
  if (typeof value !== 'string') return value;
  if (isUuid(value)) return value.toLowerCase();
  return timestamp.safeParse(value).success ? Date.parse(value) : value;
}

/** The caller's copy is out of date; the answer carries the resource as it is now, so that it need not be fetched. */
export function staleVersion(current: { version: number }, what: string): AppError {
  return new AppError(
    'precondition_failed',
    `The ${what} has changed; it is at version ${current.version} now.`,
    { extensions: { current } },
  );
}

function refuse<Resource>(current: Resource, fields: readonly (keyof Resource & string)[]): void {
  if (fields.length === 0) return;
  const errors = fields.map((field): FieldError => {
    const value = current[field];
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return { field, code: 'read_only', message: `cannot be changed; it is ${shown}` };
  });
  throw new AppError('validation_failed', 'Read-only fields cannot be changed; see errors.', { errors });
}
