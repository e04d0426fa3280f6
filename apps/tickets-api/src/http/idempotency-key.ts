import { hash } from 'node:crypto';
import type { AccessToken } from '@keydesk/access-token';
import { AppError } from '@keydesk/http';
import type { RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { isJsonObject } from '../formats/json-object.ts';
import { type RepeatableRequest, stillInFlight } from '../idempotency.ts';
import { handlerOf } from './guarded-router.ts';
import { getViewer } from './viewer-state.ts';

/** A String of structured fields (RFC 9651 §3.3.3), without spaces. */
const quoted = /^"((?:[!#-[\]-~]|\\["\\]){1,255})"$/;
/** The key as it is, as most clients send it. A comma would be two fields that were joined into one. */
const bare = /^[!#-+\--~]{1,255}$/;

/** Methods that change nothing need no key, and ignore one (RFC 9110 §9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Reads the `Idempotency-Key` of a change (draft-ietf-httpapi-idempotency-key-header-07 §2), which belongs to the client
 * and subject of the token, and rejects other requests with it until the change is done. Between processes the database
 * decides.
 *
 * @param isRepeatable whether a handler, by its name, honours the key
 * @throws {AppError} `validation_failed` for an invalid key and where no key is honoured; `conflict` while another
 * request has it
 */
export function takeIdempotencyKeys(isRepeatable: (handler: string) => boolean): Middleware {
  const inFlight = new Set<string>();

  async function passAlone(key: string, next: () => Promise<unknown>): Promise<unknown> {
    if (inFlight.has(key)) throw stillInFlight();
    inFlight.add(key);
    try {
      return await next();
    } finally {
      inFlight.delete(key);
    }
  }

  return function takeIdempotencyKey(ctx, next) {
    const header = ctx.req.headers['idempotency-key'];
    if (header === undefined || safeMethods.has(ctx.method)) return next();
    if (!isRepeatable(handlerOf(ctx))) throw invalidKey('is not supported by this operation; send none');
    ctx.state.idempotencyKey = toCallersKey(ctx, String(header));
    return passAlone(ctx.state.idempotencyKey, next);
  };
}

/**
 * What a request is recognised by when it is repeated: its `Idempotency-Key`, and the id that it chose for what it creates.
 * A repetition has the same method, path and `input`, in whatever order and format they are sent, and whatever the format
 * of the answer; and the same role, for by that the answer was made. By the id it also comes from the same caller.
 *
 * @param idKey of the chosen id (`toIdKey`)
 */
export function toRepeatableRequests(
  ctx: RouterContext,
  input: unknown,
  idKey?: string,
): readonly RepeatableRequest[] {
  const { idempotencyKey: key, caller } = ctx.state as { idempotencyKey?: string; caller: AccessToken };
  const { method, newRouterPath: path = ctx.path } = ctx;
  const asked = [method, path, getViewer(ctx).role, input];
  return [
    ...(key === undefined ? [] : [{ key, fingerprint: digest(asked) }]),
    ...(idKey ? [{ key: idKey, fingerprint: digest([caller.clientId, caller.subject, ...asked]) }] : []),
  ];
}

/** @throws {AppError} `validation_failed` for a request with a key that cannot be honoured */
export function refuseIdempotencyKey({ state }: RouterContext): void {
  if (state.idempotencyKey !== undefined) {
    throw invalidKey('cannot be honoured, because a purge keeps no answer to repeat; send none');
  }
}

/** Digest of the caller and the key. */
function toCallersKey({ state }: Context, header: string): string {
  const { clientId, subject } = state.caller as AccessToken;
  return digest([clientId, subject, parseKey(header)]);
}

function parseKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? bare.exec(header)?.[0];
  if (key !== undefined) return key;
  throw invalidKey(
    'must be 1 to 255 visible ASCII characters, in double quotes or with neither quote nor comma',
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
