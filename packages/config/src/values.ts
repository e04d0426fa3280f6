import { z } from 'zod';

/** A whole number, both ends of its range included. */
export function wholeNumber(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(error).int(error).min(least, error).max(most, error);
}

export const yesOrNo = z.stringbool({ error: 'must be true or false' });

/** What `NODE_ENV` says. */
export const nodeEnvironment = z.enum(
  ['development', 'production', 'test'],
  'must be development, production or test',
);

/** The least level of what is logged. */
export const logLevel = z.enum(
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'must be fatal, error, warn, info, debug, trace or silent',
);
