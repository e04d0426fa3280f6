import { AppError } from '@keydesk/http';
import type { Context } from 'koa';

/**
 * The body of a request; `undefined` when it has more than `maxBytes`.
 *
 * @throws {AppError} `invalid_request` when it breaks off
 */
export async function readBody({ req }: Context, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // To destroy the request would close its connection before the answer is sent.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new AppError('invalid_request', 'The body of the request broke off.', { cause });
  }
  return Buffer.concat(chunks);
}
