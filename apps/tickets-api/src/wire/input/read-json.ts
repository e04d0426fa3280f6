import { type JsonFault, JsonTextError, parseJson } from '@keydesk/server';
import type { FieldPath } from '../faults/issue-faults.ts';
import {
  duplicateField,
  MAX_DEPTH,
  MAX_VALUES,
  malformedBody,
  reservedName,
  tooDeep,
  tooManyValues,
} from '../faults/malformed-body.ts';
import { isJsonObject, type JsonObject } from '../schema/json-object.ts';

const limits = { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };

const errorsByFault: Record<JsonFault, (path: FieldPath, cause: JsonTextError) => Error> = {
  syntax: (_path, { cause }) => malformedBody(`The body is not JSON: ${Object(cause).message}.`, cause),
  too_deep: tooDeep,
  too_many_values: tooManyValues,
  repeated_name: duplicateField,
  reserved_name: reservedName,
};

/**
 * Parses a JSON object (RFC 8259), as strictly as `parseJson`.
 *
 * @throws {AppError} `malformed_body`
 */
export function readJson(text: string): JsonObject {
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw malformedBody('The body must be a JSON object.');
}

function parse(text: string): unknown {
  try {
    return parseJson(text, limits);
  } catch (err) {
    throw err instanceof JsonTextError ? errorsByFault[err.fault](err.path, err) : err;
  }
}
