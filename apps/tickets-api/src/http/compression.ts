import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { setHeaders } from '@keydesk/http';
import type { Middleware, ParameterizedContext } from 'koa';
import { type ContentCoding, contentCodings, withCoding } from './content-coding.ts';

/** Below this a compressed body saves no packet. */
const LEAST_BYTES = 1024;
/** Of eleven: as small as gzip at its best, and several times as fast. */
const BROTLI_QUALITY = 4;

/** Compresses a body in a coding. */
export const compress: Readonly<Record<ContentCoding, (body: string | Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => deflate(body),
};
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/**
 * Compresses answers in the way that `Accept-Encoding` prefers (RFC 9110 §12.5.3), under an entity tag of their own, for
 * they are other bytes (§8.8.3.3). Streams are sent as they come. What an attacker could learn from lengths needs requests
 * that carry a token unasked, and there are none here: no cookies.
 */
export function compressBodies(): Middleware {
  return async function compressBody(ctx, next) {
    setHeaders(ctx, { Vary: 'Accept-Encoding' });
    await next();
    const { body } = ctx;
    if (ctx.get('Accept-Encoding') === '' || !isWorthwhile(body) || ctx.response.get('Content-Encoding'))
      return;
    const coding = ctx.acceptsEncodings(...contentCodings, 'identity');
    if (coding !== 'br' && coding !== 'gzip') return;
    replaceBody(ctx, await compress[coding](body), coding);
  };
}

function isWorthwhile(body: unknown): body is string | Buffer {
  return (typeof body === 'string' || Buffer.isBuffer(body)) && Buffer.byteLength(body) >= LEAST_BYTES;
}

function replaceBody(ctx: ParameterizedContext, body: Buffer, coding: ContentCoding): void {
  ctx.body = body;
  ctx.set('Content-Encoding', coding);
  const etag: string | undefined = ctx.response.get('ETag');
  // A failure has the tag of the resource that it is about, not of its own body.
  if (etag && ctx.status < 400) ctx.set('ETag', withCoding(etag, coding));
}
