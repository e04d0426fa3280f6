import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware, ParameterizedContext } from 'koa';

/** Content codings (RFC 9110 §8.4.1) of responses, in order of preference if the client weighs them equally. */
export const contentCodings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** Returns the entity tag of the same representation in a content coding. */
export function withCoding(etag: string, coding: ContentCoding): string {
  return etag.replace(/"$/, `.${coding}"`);
}

/** Returns the entity tag of the unencoded representation. */
export function withoutCoding(etag: string): string {
  return etag.replace(/\.(br|gzip)"$/, '"');
}

/** Smaller bodies fit into one packet either way. */
const MIN_BYTES = 1024;
/** Of 0 to 11. At 4, bodies are as small as gzip's best and encoding is several times as fast. */
const BROTLI_QUALITY = 4;

/** Compresses a body with each supported content coding. */
export const compress: Readonly<Record<ContentCoding, (body: string | Buffer) => Promise<Buffer>>> = {
  br: (body) => brotliBody(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => gzipBody(body),
};
const brotliBody = promisify(brotliCompress);
const gzipBody = promisify(gzip);

/**
 * Compresses response bodies with the content coding that `Accept-Encoding` prefers (RFC 9110 §12.5.3). The encoded
 * representation has an entity tag of its own (§8.8.3.3). Streams are not compressed. Compression side channels
 * (BREACH) require a victim's browser to attach credentials by itself; this API uses no cookies.
 */
export function compressBodies(): Middleware {
  return async function compressBody(ctx, next) {
    ctx.set('Vary', 'Accept-Encoding');
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
  return (typeof body === 'string' || Buffer.isBuffer(body)) && Buffer.byteLength(body) >= MIN_BYTES;
}

function replaceBody(ctx: ParameterizedContext, body: Buffer, coding: ContentCoding): void {
  ctx.body = body;
  ctx.set('Content-Encoding', coding);
  const etag: string | undefined = ctx.response.get('ETag');
  // The ETag of an error response belongs to the resource, not to the body of the error.
  if (etag && ctx.status < 400) ctx.set('ETag', withCoding(etag, coding));
}
