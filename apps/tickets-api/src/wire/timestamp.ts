import { z } from 'zod';

/** Schema of times in responses: UTC with milliseconds. */
export const outputTimestamp = z.iso.datetime({ offset: true, precision: 3 });

/** Schema of RFC 3339 times with any offset and precision. */
export const timestamp = z.iso.datetime({ offset: true });

/**
 * Schema of times in requests: any RFC 3339 time with an offset, converted to UTC with milliseconds. The conversion may
 * leave the supported years.
 */
export const inputTimestamp = timestamp
  .transform((text) => new Date(text).toISOString())
  .pipe(timestamp.refine(hasYear, 'must be between the years 0001 and 9999'));

/** Whether a time or date has a year that XML Schema supports, from 0001 (XSD 1.0 Part 2 §3.2.7.1). */
export function hasYear(text: string): boolean {
  return !text.startsWith('0000');
}
