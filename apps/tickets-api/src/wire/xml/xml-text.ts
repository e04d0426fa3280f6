/** Matches characters that XML 1.0 does not allow (§2.2): control characters, lone surrogates, U+FFFE and U+FFFF. */
const invalidXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const everyInvalidXml = new RegExp(invalidXml, 'gu');

/** Whether XML 1.0 can represent the text. All formats are limited to such text, so that all stored data has an XML form. */
export function isXmlText(text: string): boolean {
  return !invalidXml.test(text);
}

/** Replaces invalid characters by U+FFFD in text that is not stored data, such as quotes in error messages. */
export function toXmlText(text: string): string {
  return text.replace(everyInvalidXml, '\uFFFD');
}

/**
 * Escapes text as the content of an element so that a parser returns it unchanged. Escapes `>` because of `]]>`, and
 * the carriage return because parsers turn it into a line feed (XML 1.0 §2.11).
 */
export function escapeXmlText(text: string): string {
  // A single test suffices for nearly every text; a pass per character is faster than a callback per match.
  if (!/[&<>\r]/.test(text)) return text;
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r/g, '&#13;');
}

/**
 * Writes text as the content of an element: escaped, or as CDATA if escaping needs many references, because parsers
 * limit them (as `strict-xml.ts` does).
 */
export function toXmlContent(text: string): string {
  const escaped = escapeXmlText(text);
  return escaped.length > text.length + MAX_ADDED && countEscapes(text) > MAX_ESCAPES
    ? toCdata(text)
    : escaped;
}

const MAX_ESCAPES = 100;
/** Every escape adds at least three characters. */
const MAX_ADDED = MAX_ESCAPES * 3;

function countEscapes(text: string): number {
  return text.match(/[&<>]/g)?.length ?? 0;
}

/** Writes text as CDATA. Its end marker and carriage returns, which parsers turn into line feeds, go outside of the section. */
function toCdata(text: string): string {
  const content = text.replaceAll(']]>', ']]]]><![CDATA[>').replaceAll('\r', ']]>&#13;<![CDATA[');
  return `<![CDATA[${content}]]>`;
}

/** Escapes an attribute value in double quotes, including tabs and line feeds, which parsers turn into spaces (§3.3.3). */
export function escapeXmlAttribute(text: string): string {
  if (!/[&<>\r"\t\n]/.test(text)) return text;
  return escapeXmlText(text).replace(/"/g, '&quot;').replace(/\t/g, '&#9;').replace(/\n/g, '&#10;');
}
