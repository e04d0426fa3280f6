import { z } from 'zod';

/** Creates the schema of a whole number in an inclusive range. */
export function wholeNumber(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(error).int(error).min(least, error).max(most, error);
}

export const yesOrNo = z.stringbool({ error: 'must be true or false' });

/** Schema of `NODE_ENV`. */
export const nodeEnvironment = z.enum(
  ['development', 'production', 'test'],
  'must be development, production or test',
);

/** Schema of the minimum log level. */
export const logLevel = z.enum(
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'must be fatal, error, warn, info, debug, trace or silent',
);
