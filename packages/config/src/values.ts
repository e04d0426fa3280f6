import { z } from 'zod';

/** Creates the schema of a whole number in an inclusive range. */
export function wholeNumber(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(error).int(error).min(least, error).max(most, error);
}

export const yesOrNo = z.stringbool({ error: 'must be true or false' });

/** Whether a URL is on this machine: `localhost`, 127.0.0.0/8 or `[::1]` (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopback(url: string | URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
