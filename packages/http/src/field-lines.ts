import type { IncomingMessage } from 'node:http';

/**
 * The values that a request has under the name of a field, in small letters: one a line (RFC 9110 §5.2). Node's
 * `headersDistinct` has them too, but first gathers those of every other field.
 */
export function fieldLines({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && isNamed(rawHeaders[i - 1], name));
}

function isNamed(given: string | undefined, name: string): boolean {
  return given?.length === name.length && given.toLowerCase() === name;
}
