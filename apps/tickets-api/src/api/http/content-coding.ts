/** Content codings (RFC 9110 §8.4.1) of responses, in order of preference if the client weighs them equally. */
export const contentCodings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** Returns the entity tag of the same representation in a content coding. */
export function withCoding(etag: string, coding: ContentCoding): string {
  return etag.replace(/"$/, `.${coding}"`);
}

/** Returns the entity tag of the unencoded representation. */
export function withoutCoding(etag: string): string {
  return etag.replace(/\.(br|gzip)"$/, '"');
}
