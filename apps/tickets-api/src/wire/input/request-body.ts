import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { AppError } from '@keydesk/errors';
import type { Next, ParameterizedContext } from 'koa';
import getRawBody from 'raw-body';
import { malformedBody } from '../faults/malformed-body.ts';
import type { JsonObject } from '../schema/json-object.ts';
import { readXml } from '../xml/read-xml.ts';
import type { Body } from './input.ts';
import { readForm } from './read-form.ts';
import { readJson } from './read-json.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Media types that a resource can be sent as. */
export const resourceTypes = [
  'application/json',
  'application/xml',
  'text/xml',
  'application/x-www-form-urlencoded',
] as const;
/** Media types that a merge patch can be sent as (RFC 7396 §4); most clients send plain JSON. */
export const patchTypes = ['application/merge-patch+json', 'application/json'] as const;

type ResourceType = (typeof resourceTypes)[number];

/** Part of a Koa context. */
export interface BodyRequest {
  req: IncomingMessage;
  method: string;
}

/**
 * Reads the body of a request by its `Content-Type`.
 *
 * @param root name of the root element if the body is XML
 * @param accepted media types that the route supports
 * @throws {AppError} `unsupported_media_type` for another type, charset or content coding; `payload_too_large` beyond
 * `MAX_BODY_BYTES`; `malformed_body` for a body that is invalid for its type
 */
export async function readBody(
  request: BodyRequest,
  root: string,
  accepted: readonly ResourceType[] = resourceTypes,
): Promise<Body> {
  const type = requireType(request, accepted);
  const text = await readText(request.req, { mayBeEmpty: type === 'application/x-www-form-urlencoded' });
  switch (type) {
    case 'application/json':
      return { format: 'json', value: readJson(text) };
    case 'application/xml':
    case 'text/xml':
      return { format: 'xml', value: readXml(text, root) };
    case 'application/x-www-form-urlencoded':
      return { format: 'form', value: readForm(text) };
  }
}

/**
 * Reads a JSON merge patch (RFC 7396) for `applyMergePatch`.
 *
 * @throws {AppError} as `readBody`
 */
export async function readMergePatch(request: BodyRequest): Promise<JsonObject> {
  requireType(request, patchTypes);
  return readJson(await readText(request.req));
}

/**
 * Matches bodies that some clients send in place of an empty one. White space must match only one part of the pattern:
 * otherwise backtracking over one mebibyte would block the process for minutes.
 */
const emptyBody = /^\s*(?:(?:\{\s*\}|null)\s*)?$/;

/**
 * Rejects a request body; for operations whose only input is the path and the query.
 *
 * @throws {AppError} `invalid_request` for a body with content
 */
export async function rejectBody({ req }: ParameterizedContext, next: Next): Promise<unknown> {
  if (hasBody(req) && !(await isEmptyBody(req))) {
    throw new AppError(
      'invalid_request',
      'This operation takes no request body; send its parameters in the path and the query.',
    );
  }
  return next();
}

async function isEmptyBody(req: IncomingMessage): Promise<boolean> {
  try {
    return emptyBody.test((await receiveBytes(req)).toString('utf8'));
  } catch (err) {
    if (err instanceof AppError) return false;
    throw err;
  }
}

function requireType<Type extends string>({ req, method }: BodyRequest, accepted: readonly Type[]): Type {
  const { 'content-type': given, 'content-encoding': coding = 'identity' } = req.headers;
  if (coding.toLowerCase() !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      `The content coding ${coding} is not supported; send the body unencoded.`,
      {
        headers: { 'Accept-Encoding': 'identity' },
      },
    );
  }
  if (given === undefined && !hasBody(req)) throw missingBody();
  const mime = parseType(given);
  const type = accepted.find((each) => each === mime?.essence);
  if (type && /^utf-?8$/i.test(mime?.params.get('charset') ?? 'utf-8')) return type;
  throw new AppError(
    'unsupported_media_type',
    `Unsupported media type; send UTF-8 in one of ${accepted.join(', ')}.`,
    {
      headers: { [toAcceptHeader(method)]: accepted.join(', ') },
    },
  );
}

async function readText(req: IncomingMessage, { mayBeEmpty = false } = {}): Promise<string> {
  if (hasBody(req)) return toText(await receiveBytes(req));
  if (mayBeEmpty) return '';
  throw missingBody();
}

function missingBody(): AppError {
  return malformedBody('This request requires a body.');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parseType(contentType = ''): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}

/** Returns the header that lists supported types: RFC 5789 §3.1 for PATCH, W3C LDP §7.1 for POST, else RFC 9110 §15.5.16. */
function toAcceptHeader(method: string): string {
  if (method === 'PATCH') return 'Accept-Patch';
  return method === 'POST' ? 'Accept-Post' : 'Accept';
}

async function receiveBytes(req: IncomingMessage): Promise<Buffer> {
  try {
    return await getRawBody(req, { limit: MAX_BODY_BYTES, length: req.headers['content-length'] ?? null });
  } catch (cause) {
    // The rest of the body must be consumed, because it precedes the next request on the connection.
    req.resume();
    if (isTooLarge(cause)) {
      throw new AppError('payload_too_large', `The body exceeds the limit of ${MAX_BODY_BYTES} bytes.`, {
        cause,
      });
    }
    if (req.destroyed) throw malformedBody('The connection was closed before the body was complete.', cause);
    throw cause;
  }
}

function isTooLarge(err: unknown): boolean {
  return err instanceof Error && 'type' in err && err.type === 'entity.too.large';
}

function toText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformedBody('The body is not UTF-8.');
  const text = bytes.toString('utf8');
  if (text.includes('\0')) throw malformedBody('The body contains a NUL character.');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
