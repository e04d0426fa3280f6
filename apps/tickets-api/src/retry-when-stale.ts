import { AppError } from '@keydesk/http';

/** Of racing writes one succeeds each time. */
const MAX_ATTEMPTS = 50;

/**
 * Repeats an attempt that resolves with `undefined` because another write came first.
 *
 * @param what is written
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
  throw new AppError('unavailable', `Too many changes of this ${what} at once; try again.`, {
    headers: { 'Retry-After': '1' },
  });
}
