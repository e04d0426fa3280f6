/** The content codings (RFC 9110 §8.4.1) of answers; where a client likes several as much, its order decides. */
export const contentCodings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** The entity tag of the same representation in a coding. */
export function withCoding(etag: string, coding: ContentCoding): string {
  return etag.replace(/"$/, `.${coding}"`);
}

/** The entity tag of the same representation as it is before it is encoded. */
export function withoutCoding(etag: string): string {
  return etag.replace(/\.(br|gzip)"$/, '"');
}
