import { type JsonFault, JsonTextError, parseJson } from '@keydesk/http';
import type { FieldPath } from './field-path.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { MAX_DEPTH, MAX_VALUES, malformed, repeated, reserved, tooDeep, tooMany } from './malformed.ts';

const limits = { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };

const errorsByFault: Record<JsonFault, (path: FieldPath, cause: JsonTextError) => Error> = {
  syntax: (_path, { cause }) => malformed(`The body is not JSON: ${Object(cause).message}.`, cause),
  too_deep: tooDeep,
  too_many_values: tooMany,
  repeated_name: repeated,
  reserved_name: reserved,
};

/**
 * Reads the text of a JSON object (RFC 8259), as strictly as `parseJson`.
 *
 * @throws {AppError} `malformed_body`
 */
export function readJson(text: string): JsonObject {
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw malformed('The body must be a JSON object.');
}

function parse(text: string): unknown {
  try {
    return parseJson(text, limits);
  } catch (err) {
    throw err instanceof JsonTextError ? errorsByFault[err.fault](err.path, err) : err;
  }
}
