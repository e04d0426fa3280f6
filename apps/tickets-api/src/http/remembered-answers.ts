import { setHeaders } from '@keydesk/http';
import type { Middleware, ParameterizedContext } from 'koa';
import { LRUCache } from 'lru-cache';
import type { FieldSet } from '../fields/field-set.ts';
import type { Storage } from '../storage/storage.ts';
import { findKnownTag } from './conditional-requests.ts';
import { getViewer } from './viewer-state.ts';

/** Everything of an answer that the handler decides. */
interface Answer {
  state: number;
  /** The definitions of custom fields that it was made by. */
  fields: FieldSet;
  etag: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

const REMEMBERED_BYTES = 64 * 1024 * 1024;
/** A longer body costs less to send as bytes; a shorter one is sent with its headers, as one text. */
const LONG_CHARACTERS = 16_384;

/**
 * Gives the answer to a read again, byte by byte, to the same viewer, while the database is in the state that it was made
 * in. Whether they may ask at all is decided anew each time, before.
 */
export function rememberAnswers({ state }: Pick<Storage, 'state'>): Middleware {
  const remembered = new LRUCache<string, Answer>({ maxSize: REMEMBERED_BYTES });
  return async function answerFromMemory(ctx, next) {
    // Told before anything is read: what is read later may be newer than this state, never older.
    const current = state();
    if (current === undefined) return next();
    const key = toKey(ctx);
    const { fields } = getViewer(ctx);
    const known = remembered.get(key);
    if (known?.state === current && known.fields === fields) return repeat(ctx, known);
    await next();
    // What is asked for relative to now is another answer a moment later.
    if (ctx.status !== 200 || ctx.state.isMomentary || typeof ctx.body !== 'string') return;
    const body = ctx.body.length > LONG_CHARACTERS ? Buffer.from(ctx.body) : ctx.body;
    ctx.body = body;
    const etag = ctx.response.get('ETag');
    const answer = { state: current, fields, etag, headers: toHeaders(ctx), body };
    remembered.set(key, answer, { size: body.length + key.length });
  };
}

/** Whatever an answer depends on beside the state of the database and the definitions of custom fields. */
function toKey(ctx: ParameterizedContext): string {
  const { role, person } = getViewer(ctx);
  return `${role} ${person?.id} ${ctx.state.epoch} ${ctx.state.format} ${ctx.url}`;
}

function toHeaders({ response }: ParameterizedContext): Record<string, string> {
  const given = ['Cache-Control', 'Content-Type', 'Link'].map((name) => [name, response.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => Boolean(value)));
}

function repeat(ctx: ParameterizedContext, { etag, headers, body }: Answer): void {
  const knownTag = findKnownTag(ctx, etag);
  setHeaders(ctx, headers);
  setHeaders(ctx, { ETag: knownTag ?? etag });
  if (knownTag === undefined) ctx.body = body;
  else ctx.status = 304;
}
