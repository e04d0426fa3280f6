import { hash } from 'node:crypto';
import { AppError } from '@keydesk/http';
import type { Context, Middleware } from 'koa';
import { findKnownTag } from '../http/conditional-requests.ts';

/** A document that is the same for everybody for as long as the process runs. */
export interface ServedDocument {
  type: string;
  content: string;
  /** Beside those that every document has. */
  headers?: Readonly<Record<string, string>>;
}

const MAX_AGE_SECONDS = 300;
const methods = 'GET, HEAD, OPTIONS';

/** Serves documents by their paths and without a token, to be kept for minutes and then revalidated by entity tag. */
export function serveDocuments(documents: Readonly<Record<string, ServedDocument>>): Middleware {
  const byPath = new Map(Object.entries(documents).map(([path, document]) => [path, prepare(document)]));
  return function serveDocument(ctx, next) {
    const document = byPath.get(ctx.path);
    return document ? serve(ctx, document) : next();
  };
}

function serve(ctx: Context, { type, content, headers }: ReturnType<typeof prepare>): void {
  if (ctx.method === 'OPTIONS') {
    ctx.set({ Allow: methods, 'Access-Control-Allow-Methods': methods });
    ctx.status = 204;
    return;
  }
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    throw new AppError('method_not_allowed', 'The document can only be read.', {
      headers: { Allow: methods },
    });
  }
  ctx.set(headers);
  const knownTag = findKnownTag(ctx, headers.ETag);
  if (knownTag !== undefined) {
    ctx.set('ETag', knownTag);
    ctx.status = 304;
  } else {
    ctx.body = content;
    ctx.set('Content-Type', type);
  }
}

function prepare({ type, content, headers }: ServedDocument) {
  const ETag = `"${hash('sha256', content, 'base64url')}"`;
  return {
    type,
    content,
    headers: { ...headers, ETag, 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` },
  };
}
