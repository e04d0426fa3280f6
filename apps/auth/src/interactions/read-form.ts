import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import { readBody } from '../read-body.ts';

const MAX_BYTES = 16_384;

/**
 * Reads a form of ours; the first value of each field counts.
 *
 * @throws {AppError} `unsupported_media_type`, or `payload_too_large` beyond 16 KB
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new AppError('unsupported_media_type', 'A form is application/x-www-form-urlencoded.');
  const body = await readBody(ctx, MAX_BYTES);
  if (!body) throw new AppError('payload_too_large', `A form has at most ${MAX_BYTES} bytes.`);
  return new URLSearchParams(body.toString());
}
