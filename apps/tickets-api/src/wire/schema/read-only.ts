import { isDeepStrictEqual } from 'node:util';
import { AppError, type FieldError } from '@keydesk/errors';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { isUuid, timestamp } from './scalars.ts';

/** Schema of the entity tag as a member of its resource. */
export const etagMember = z.string().meta({
  readOnly: true,
  description: 'Entity tag in this format; send it as `If-Match` or `If-None-Match`. Ignored in requests',
});

/** Schemas of the members that every change of a resource changes. */
export const versionShape = {
  updated_at: timestamp.meta({ readOnly: true, description: 'Time of the last change' }),
  version: z.int().min(1).meta({ readOnly: true, description: 'Version number, incremented by each change' }),
};

/** Adds the entity tag to the schema of a resource. */
export function withEtag<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  return z.strictObject({ ...schema.shape, etag: etagMember });
}

export interface ReadOnlyMembers<Resource> {
  /** Name of the resource in error texts. */
  what: string;
  /** Members that never change. */
  immutable: readonly (keyof Resource & string)[];
  /** Members that the server changes. */
  serverManaged: readonly (keyof Resource & string)[];
}

/** Read-only members of a resource, which a request may send back unchanged. */
export interface ReadOnly<Resource> {
  /** Returns the writable members of a resource or a request. */
  pickWritable(members: object): JsonObject;
  /**
   * Returns the writable members of a request, after checking that its read-only members equal those of the current
   * resource. An old `version` or `updated_at` means that the caller edited an outdated copy.
   *
   * @throws {AppError} `precondition_failed` with the current resource; `validation_failed` for another value
   */
  checkAndPick(current: Resource, given: object): JsonObject;
}

const versionMembers = ['version', 'updated_at'] as const;

export function createReadOnly<Resource extends { version: number; updated_at: string }>(
  members: ReadOnlyMembers<Resource>,
): ReadOnly<Resource> {
  const { what, immutable: lasting, serverManaged: moving } = members;
  const names = new Set<string>([...lasting, ...moving, ...versionMembers, 'etag']);
  const pickWritable = (given: object): JsonObject =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
  return {
    pickWritable,
    checkAndPick(current, given) {
      const read = given as JsonObject;
      const differs = (name: keyof Resource & string) =>
        read[name] !== undefined && !isDeepStrictEqual(toComparable(read[name]), toComparable(current[name]));
      rejectChanged(current, lasting.filter(differs));
      if (versionMembers.some(differs)) throw staleVersion(current, what);
      rejectChanged(current, moving.filter(differs));
      return pickWritable(given);
    },
  };
}

/** Normalizes ids and times, because clients may write them back in another notation. */
function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable);
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toComparable(each)]));
  }
  if (typeof value !== 'string') return value;
  if (isUuid(value)) return value.toLowerCase();
  return timestamp.safeParse(value).success ? Date.parse(value) : value;
}

/** Builds the error for an outdated copy; it has the current resource, so that the client need not fetch it. */
export function staleVersion(current: { version: number }, what: string): AppError {
  return new AppError(
    'precondition_failed',
    `The ${what} has changed; its current version is ${current.version}. Retry with that version.`,
    { extensions: { current } },
  );
}

function rejectChanged<Resource>(current: Resource, fields: readonly (keyof Resource & string)[]): void {
  if (fields.length === 0) return;
  const errors = fields.map((field): FieldError => {
    const value = current[field];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { field, code: 'read_only', message: `is read-only; omit it or send its current value, ${text}` };
  });
  throw new AppError('validation_failed', 'Read-only fields cannot be changed; see errors.', { errors });
}
