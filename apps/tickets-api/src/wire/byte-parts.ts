/** Part of a document: text, or bytes that were rendered earlier. */
export type BytePart = string | Buffer;

/** Joins parts into one UTF-8 document. */
export function joinBytes(parts: readonly BytePart[]): Buffer {
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const part of parts) end += typeof part === 'string' ? bytes.write(part, end) : part.copy(bytes, end);
  return bytes;
}

/** Separates the members of a JSON array by commas. */
export function toMembers(members: readonly BytePart[]): BytePart[] {
  return members.flatMap((member, i) => (i === 0 ? member : [',', member]));
}

/** Wraps parts in an XML element; `attributes` must be escaped, each with a leading space. */
export function toElementParts(name: string, attributes: string, parts: readonly BytePart[]): BytePart[] {
  if (parts.length === 0) return [`<${name}${attributes}/>`];
  return [`<${name}${attributes}>`, ...parts, `</${name}>`];
}
