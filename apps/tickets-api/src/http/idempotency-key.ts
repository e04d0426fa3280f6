import { hash } from 'node:crypto';
import type { AccessToken } from '@keydesk/access-token';
import { AppError } from '@keydesk/http';
import type { RouterContext } from '@koa/router';
import { isJsonObject } from '../formats/json-object.ts';
import type { RepeatableRequest } from '../idempotency.ts';
import { getViewer } from './viewer-state.ts';

/** A String of structured fields (RFC 9651 §3.3.3), without spaces. */
const quoted = /^"((?:[!#-[\]-~]|\\["\\]){1,255})"$/;
/** The key as it is, as most clients send it. A comma would be two fields that were joined into one. */
const bare = /^[!#-+\--~]{1,255}$/;

/**
 * The request by its `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07 §2); `undefined` when it has none.
 * A key belongs to the client and subject of the token. A repetition has the same method, path and `input`, in whatever
 * order and format they are sent, and whatever the format of the answer; and the same role, for by that the answer was
 * made.
 *
 * @throws {AppError} `validation_failed` for what is no key
 */
export function toRepeatableRequest(ctx: RouterContext, input: unknown): RepeatableRequest | undefined {
  const header = ctx.req.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const { clientId, subject } = ctx.state.caller as AccessToken;
  const { method, newRouterPath: path = ctx.path } = ctx;
  return {
    key: digest([clientId, subject, parseKey(String(header))]),
    fingerprint: digest([method, path, getViewer(ctx).role, input]),
  };
}

/** Tells the sender of a repeated request that it made nothing. */
export function tellReplay(ctx: RouterContext, isReplayed: boolean): void {
  if (isReplayed) ctx.set('Idempotency-Replayed', 'true');
}

function parseKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? bare.exec(header)?.[0];
  if (key !== undefined) return key;
  const message =
    'must be 1 to 255 visible ASCII characters, in double quotes or with neither quote nor comma';
  throw new AppError('validation_failed', 'The Idempotency-Key is invalid; see errors.', {
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
