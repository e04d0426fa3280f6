import { AppError } from '@keydesk/errors';
import type { Context } from 'koa';

/**
 * Reads the body of a request; returns `undefined` if it has more than `maxBytes`.
 *
 * @throws {AppError} `invalid_request` if the client aborts the request
 */
export async function readBody({ req }: Context, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Destroying the request would close its connection before the response is sent.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new AppError('invalid_request', 'The request body is incomplete; send it again.', { cause });
  }
  return Buffer.concat(chunks);
}
