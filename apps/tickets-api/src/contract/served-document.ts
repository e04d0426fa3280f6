import { hash } from 'node:crypto';
import { AppError } from '@keydesk/server';
import type { Context, Middleware } from 'koa';
import { type ContentCoding, compress, contentCodings, withCoding } from '../api/http/compression.ts';
import { findCachedTag } from '../api/http/conditional-requests.ts';

/** Static document that is the same for every caller for the lifetime of the process. */
export interface ServedDocument {
  type: string;
  content: string | LazyContent;
  /** Headers in addition to the common ones. */
  headers?: Readonly<Record<string, string>>;
  /** Whether the path changes with the content, so that caches never need to revalidate. */
  isImmutable?: boolean;
}

/** Large, rarely requested content that is loaded on first use. */
export interface LazyContent {
  /** Tag that changes with the content. */
  tag: string;
  load(): Promise<string>;
}

const MAX_AGE_SECONDS = 300;
const IMMUTABLE_MAX_AGE_SECONDS = 31_536_000;
const methods = 'GET, HEAD, OPTIONS';

/** Serves documents by path, without a token. A document is compressed once per coding. */
export function serveDocuments(documents: Readonly<Record<string, ServedDocument>>): Middleware {
  const byPath = new Map(Object.entries(documents).map(([path, document]) => [path, prepare(document)]));
  return function serveDocument(ctx, next) {
    const document = byPath.get(ctx.path);
    return document ? serve(ctx, document) : next();
  };
}

async function serve(ctx: Context, { type, headers, etag, encode }: Prepared): Promise<void> {
  if (ctx.method === 'OPTIONS') {
    ctx.set({ Allow: methods, 'Access-Control-Allow-Methods': methods });
    ctx.status = 204;
    return;
  }
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    throw new AppError('method_not_allowed', 'This document is read-only; use GET or HEAD.', {
      headers: { Allow: methods },
    });
  }
  ctx.set(headers);
  const cachedTag = findCachedTag(ctx, etag);
  if (cachedTag !== undefined) {
    ctx.set('ETag', cachedTag);
    ctx.status = 304;
    return;
  }
  const coding = chooseCoding(ctx);
  ctx.body = await encode(coding);
  ctx.set('Content-Type', type);
  ctx.set('ETag', coding === 'identity' ? etag : withCoding(etag, coding));
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
}

type Coding = ContentCoding | 'identity';

function chooseCoding(ctx: Context): Coding {
  if (ctx.get('Accept-Encoding') === '') return 'identity';
  const coding = ctx.acceptsEncodings(...contentCodings, 'identity');
  return coding === 'br' || coding === 'gzip' ? coding : 'identity';
}

type Prepared = ReturnType<typeof prepare>;

function prepare({ type, content, headers, isImmutable = false }: ServedDocument) {
  const tag = typeof content === 'string' ? hash('sha256', content, 'base64url') : content.tag;
  const encodings = new Map<Coding, Promise<string | Buffer>>();
  async function encode(coding: Coding): Promise<string | Buffer> {
    const text = typeof content === 'string' ? content : await content.load();
    return coding === 'identity' ? text : compress[coding](text);
  }
  return {
    type,
    headers: {
      ...headers,
      'Cache-Control': isImmutable
        ? `public, max-age=${IMMUTABLE_MAX_AGE_SECONDS}, immutable`
        : `public, max-age=${MAX_AGE_SECONDS}`,
    },
    etag: `"${tag}"`,
    /** Caches the result, unless encoding failed. */
    encode(coding: Coding): Promise<string | Buffer> {
      const cached = encodings.get(coding);
      if (cached) return cached;
      const encoded = encode(coding);
      encodings.set(coding, encoded);
      encoded.catch(() => encodings.delete(coding));
      return encoded;
    },
  };
}
