import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { AppError } from '@keydesk/http';
import type { Next, ParameterizedContext } from 'koa';
import getRawBody from 'raw-body';
import type { Body } from './input.ts';
import type { JsonObject } from './json-object.ts';
import { malformed } from './malformed.ts';
import { readForm } from './read-form.ts';
import { readJson } from './read-json.ts';
import { readXml } from './read-xml.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** What a resource may be sent as. */
export const resourceTypes = [
  'application/json',
  'application/xml',
  'text/xml',
  'application/x-www-form-urlencoded',
] as const;
/** What a merge patch may be sent as (RFC 7396 §4); most clients say no more than that it is JSON. */
export const patchTypes = ['application/merge-patch+json', 'application/json'] as const;

type ResourceType = (typeof resourceTypes)[number];

/** What is needed of a Koa context. */
export interface BodyRequest {
  req: IncomingMessage;
  method: string;
}

/**
 * Reads the body of a request by its `Content-Type`.
 *
 * @param root the name of the root element when the body is XML
 * @param accepted the media types that the route takes
 * @throws {AppError} `unsupported_media_type` for another type, charset or content coding; `payload_too_large` beyond
 * `MAX_BODY_BYTES`; `malformed_body` for a body that its type does not allow
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
 * Reads a JSON merge patch (RFC 7396), to be applied by `applyMergePatch`.
 *
 * @throws {AppError} as `readBody`
 */
export async function readMergePatch(request: BodyRequest): Promise<JsonObject> {
  requireType(request, patchTypes);
  return readJson(await readText(request.req));
}

/**
 * What some programs send where they have nothing to say. No white space can be taken by two parts of this, or a mebibyte
 * of it would keep the process for minutes.
 */
const nothing = /^\s*(?:(?:\{\s*\}|null)\s*)?$/;

/**
 * Stands before what takes everything from the path and the query: what is asked for in a body would be dropped.
 *
 * @throws {AppError} `invalid_request` for a body that says anything
 */
export async function takeNoBody({ req }: ParameterizedContext, next: Next): Promise<unknown> {
  if (hasBody(req) && !(await hasNothingToSay(req))) {
    throw new AppError('invalid_request', 'Everything is said by the path and the query here; send no body.');
  }
  return next();
}

async function hasNothingToSay(req: IncomingMessage): Promise<boolean> {
  try {
    return nothing.test((await receive(req)).toString('utf8'));
  } catch (err) {
    if (err instanceof AppError) return false;
    throw err;
  }
}

function requireType<Type extends string>({ req, method }: BodyRequest, accepted: readonly Type[]): Type {
  const { 'content-type': given, 'content-encoding': coding = 'identity' } = req.headers;
  if (coding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', `The content coding ${coding} is not supported.`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (given === undefined && !hasBody(req)) throw needsBody();
  const mime = parseType(given);
  const type = accepted.find((each) => each === mime?.essence);
  if (type && /^utf-?8$/i.test(mime?.params.get('charset') ?? 'utf-8')) return type;
  throw new AppError(
    'unsupported_media_type',
    `The body must be in UTF-8 and one of ${accepted.join(', ')}.`,
    {
      headers: { [hintOf(method)]: accepted.join(', ') },
    },
  );
}

async function readText(req: IncomingMessage, { mayBeEmpty = false } = {}): Promise<string> {
  if (hasBody(req)) return toText(await receive(req));
  if (mayBeEmpty) return '';
  throw needsBody();
}

function needsBody(): AppError {
  return malformed('The request needs a body.');
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

/** Where a client finds what it may send: RFC 5789 §3.1, W3C LDP §7.1, else RFC 9110 §15.5.16. */
function hintOf(method: string): string {
  if (method === 'PATCH') return 'Accept-Patch';
  return method === 'POST' ? 'Accept-Post' : 'Accept';
}

async function receive(req: IncomingMessage): Promise<Buffer> {
  try {
    return await getRawBody(req, { limit: MAX_BODY_BYTES, length: req.headers['content-length'] ?? null });
  } catch (cause) {
    // What is still on its way must be taken, or the connection waits for it in front of the next request.
    req.resume();
    if (isTooLarge(cause)) {
      throw new AppError('payload_too_large', `The body has more than ${MAX_BODY_BYTES} bytes.`, { cause });
    }
    if (req.destroyed) throw malformed('The body did not arrive as a whole.', cause);
    throw cause;
  }
}

function isTooLarge(err: unknown): boolean {
  return err instanceof Error && 'type' in err && err.type === 'entity.too.large';
}

function toText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.');
  const text = bytes.toString('utf8');
  if (text.includes('\0')) throw malformed('The body has a NUL character.');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
