import { AppError } from '@keydesk/errors';

/** Each round of racing writes lets one of them succeed. */
const MAX_ATTEMPTS = 50;

/**
 * Retries an attempt that resolves with `undefined` because of a concurrent write.
 *
 * @param what kind of resource named in the error text
 * @throws {AppError} `unavailable` after the last attempt
 */
export async function retryWhenStale<Result>(
  what: string,
  attempt: () => Promise<Result | undefined>,
  maxAttempts = MAX_ATTEMPTS,
): Promise<Result> {
  for (let i = 0; i < maxAttempts; i++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new AppError('unavailable', `Too many concurrent changes of this ${what}; try again.`, {
    retryAfterSeconds: 1,
  });
}
