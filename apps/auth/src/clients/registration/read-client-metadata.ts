import { JsonTextError, parseJson } from '@keydesk/server';
import type { Context } from 'koa';
import { readBody } from '../../read-body.ts';
import { RegistrationError } from './registration-error.ts';

const MAX_BYTES = 32_768;

/**
 * Reads the client metadata of a request: a JSON object of at most 32 KB.
 *
 * @throws {RegistrationError} `invalid_request`
 */
export async function readClientMetadata(ctx: Context): Promise<Record<string, unknown>> {
  if (!ctx.is('application/json'))
    throw invalid('Unsupported media type; send the client metadata as application/json.');
  const body = await readBody(ctx, MAX_BYTES);
  if (!body) throw invalid(`The client metadata must have at most ${MAX_BYTES} bytes.`);
  const value = parse(body.toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The client metadata must be a JSON object.');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (err) {
    if (!(err instanceof JsonTextError)) throw err;
    const { message } = err;
    throw invalid(`The client metadata ${message}; send a JSON object with each name once.`, { cause: err });
  }
}

function invalid(description: string, options?: ErrorOptions): RegistrationError {
  return new RegistrationError('invalid_request', description, options);
}
