import type { IncomingMessage } from 'node:http';

/**
 * Returns the values of all field lines with a lower-case name (RFC 9110 §5.2). Node's `headersDistinct` would first
 * collect the lines of every field.
 */
export function fieldLines({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && isNamed(rawHeaders[i - 1], name));
}

function isNamed(given: string | undefined, name: string): boolean {
  return given?.length === name.length && given.toLowerCase() === name;
}
