import { hash } from 'node:crypto';
import { AppError } from '@keydesk/http';
import type { Context, Middleware } from 'koa';
import { compress } from '../http/compression.ts';
import { findKnownTag } from '../http/conditional-requests.ts';
import { type ContentCoding, contentCodings, withCoding } from '../http/content-coding.ts';

/** A document that is the same for everybody for as long as the process runs. */
export interface ServedDocument {
  type: string;
  content: string | LazyContent;
  /** Beside those that every document has. */
  headers?: Readonly<Record<string, string>>;
  /** Its path changes with its content, so that caches keep it and never revalidate it. */
  isImmutable?: boolean;
}

/** Content that is large and seldom asked for: loaded at the first request. */
export interface LazyContent {
  /** Changes with the content. */
  tag: string;
  load(): Promise<string>;
}

const MAX_AGE_SECONDS = 300;
const IMMUTABLE_MAX_AGE_SECONDS = 31_536_000;
const methods = 'GET, HEAD, OPTIONS';

/** Serves documents by their paths and without a token. A document is compressed once for each coding. */
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
    throw new AppError('method_not_allowed', 'The document can only be read.', {
      headers: { Allow: methods },
    });
  }
  ctx.set(headers);
  const knownTag = findKnownTag(ctx, etag);
  if (knownTag !== undefined) {
    ctx.set('ETag', knownTag);
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
    /** Keeps what it made, unless that failed. */
    encode(coding: Coding): Promise<string | Buffer> {
      const known = encodings.get(coding);
      if (known) return known;
      const made = encode(coding);
      encodings.set(coding, made);
      made.catch(() => encodings.delete(coding));
      return made;
    },
  };
}
