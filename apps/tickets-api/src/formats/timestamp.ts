import { z } from 'zod';

/** A time as it is written: UTC with milliseconds. */
export const writtenTimestamp = z.iso.datetime({ offset: true, precision: 3 });

/** The same where it may be sent back: the same time in any way. */
export const timestamp = z.iso.datetime({ offset: true });

/**
 * A time given by a caller: any RFC 3339 time with an offset; kept in UTC with milliseconds, where an offset may have
 * led out of the years that can be written.
 */
export const givenTimestamp = timestamp
  .transform((text) => new Date(text).toISOString())
  .pipe(timestamp.refine(hasYear, 'must be of the years 0001 to 9999'));

/** Whether a time or date is of a year that XML Schema has, which begins at 1 (XSD 1.0 Part 2 §3.2.7.1). */
export function hasYear(text: string): boolean {
  return !text.startsWith('0000');
}
