/** A part of a document: text, or bytes that were written before. */
export type BytePart = string | Buffer;

/** Copies the parts into one document in UTF-8. */
export function joinBytes(parts: readonly BytePart[]): Buffer {
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const part of parts) end += typeof part === 'string' ? bytes.write(part, end) : part.copy(bytes, end);
  return bytes;
}

/** The members of a JSON array, with commas between them. */
export function toMembers(members: readonly BytePart[]): BytePart[] {
  return members.flatMap((member, i) => (i === 0 ? member : [',', member]));
}

/** One XML element around parts; `attributes` are escaped already, each with a space before it. */
export function toElementParts(name: string, attributes: string, parts: readonly BytePart[]): BytePart[] {
  if (parts.length === 0) return [`<${name}${attributes}/>`];
  return [`<${name}${attributes}>`, ...parts, `</${name}>`];
}
