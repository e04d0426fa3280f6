import { z } from 'zod';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, in either case (RFC 9562 §4). */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

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

const chosenUuid =
  /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[47][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$/;

/** Schema of an id chosen by the client: a UUID of version 4 or 7 (RFC 9562 §5.4, §5.7). */
export const chosenId = z
  .string()
  .regex(chosenUuid, 'must be a UUID of version 4 or 7, such as 7f3c1f0e-8a55-4c0b-9a3e-2f1d6c5b4a39')
  .toLowerCase()
  .optional()
  .describe('Id chosen by the client: a new UUID of version 4 or 7 (RFC 9562)');
