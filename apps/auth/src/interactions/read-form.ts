import { AppError } from '@keydesk/http';
import type { Context } from 'koa';

const MAX_BYTES = 16_384;

/**
 * Reads a form of ours; the first value of each field counts.
 *
 * @throws {AppError} `unsupported_media_type`, or `payload_too_large` beyond 16 KB
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new AppError('unsupported_media_type', 'A form is application/x-www-form-urlencoded.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new AppError('payload_too_large', `A form has at most ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
