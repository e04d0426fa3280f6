import { hash } from 'node:crypto';
import type { AccessToken } from '@keydesk/access-token';
import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { type RepeatableRequest, requestInFlight } from '../../helpdesk/commit/idempotency.ts';
import { isJsonObject } from '../../wire/schema/json-object.ts';
import { getOperationId } from './routes.ts';
import { getViewer } from './viewer-state.ts';

/** String of structured fields (RFC 9651 §3.3.3), without spaces. */
const quoted = /^"((?:[!#-[\]-~]|\\["\\]){1,255})"$/;
/** Unquoted key, as most clients send it. A comma would mean two header fields joined into one. */
const bare = /^[!#-+\--~]{1,255}$/;

/** Safe methods change nothing and ignore the key (RFC 9110 §9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Reads the `Idempotency-Key` of a change (draft-ietf-httpapi-idempotency-key-header-07 §2). A key is scoped to the
 * client and subject of the token. Rejects other requests with the same key while the change is in flight in this
 * process; between processes the database decides.
 *
 * @param repeatable ids of the operations that support the key
 * @throws {AppError} `validation_failed` for an invalid or unsupported key; `conflict` while another request with the key
 * is in flight
 */
export function readIdempotencyKeys(repeatable: ReadonlySet<string>): Middleware {
  const inFlight = new Set<string>();

  async function runExclusively(key: string, next: () => Promise<unknown>): Promise<unknown> {
    if (inFlight.has(key)) throw requestInFlight();
    inFlight.add(key);
    try {
      return await next();
    } finally {
      inFlight.delete(key);
    }
  }

  return function readIdempotencyKey(ctx, next) {
    const header = ctx.req.headers['idempotency-key'];
    if (header === undefined || safeMethods.has(ctx.method)) return next();
    if (!repeatable.has(getOperationId(ctx)))
      throw invalidKey('is not supported by this operation; send the request without it');
    ctx.state.idempotencyKey = toCallerKey(ctx, String(header));
    return runExclusively(ctx.state.idempotencyKey, next);
  };
}

/**
 * Identifies a request when it is repeated: by its `Idempotency-Key`, and by the id that it chose for the new resource.
 * A repetition has the same method, path and `input`, in any member order and format. It also has the same role,
 * because the role decides what the answer contains. A repetition identified by the id must also come from the same
 * client and subject.
 *
 * @param idKey key of the chosen id (`toIdKey`)
 */
export function toRepeatableRequests(
  ctx: RouterContext,
  input: unknown,
  idKey?: string,
): readonly RepeatableRequest[] {
  const { idempotencyKey: key, caller } = ctx.state as { idempotencyKey?: string; caller: AccessToken };
  const { method, newRouterPath: path = ctx.path } = ctx;
  const request = [method, path, getViewer(ctx).role, input];
  return [
    ...(key === undefined ? [] : [{ key, fingerprint: digest(request) }]),
    ...(idKey ? [{ key: idKey, fingerprint: digest([caller.clientId, caller.subject, ...request]) }] : []),
  ];
}

/** @throws {AppError} `validation_failed` if the request has an idempotency key */
export function rejectIdempotencyKey({ state }: RouterContext): void {
  if (state.idempotencyKey !== undefined) {
    throw invalidKey('is not supported for a purge; send the request without it');
  }
}

/** Returns the digest of client, subject and key. */
function toCallerKey({ state }: Context, header: string): string {
  const { clientId, subject } = state.caller as AccessToken;
  return digest([clientId, subject, parseKey(header)]);
}

function parseKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? bare.exec(header)?.[0];
  if (key !== undefined) return key;
  throw invalidKey(
    'must be 1 to 255 visible ASCII characters, either in double quotes or without quotes and commas',
  );
}

function invalidKey(message: string): AppError {
  return new AppError('validation_failed', 'The Idempotency-Key is invalid; see errors.', {
    errors: [{ field: 'Idempotency-Key', code: 'invalid_value', message }],
  });
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value, sortMembers), 'base64url');
}

function sortMembers(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
