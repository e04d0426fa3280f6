/** Anything outside of the characters of XML 1.0 (§2.2): control characters, lone surrogates, U+FFFE, U+FFFF. */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const everyNotXml = new RegExp(notXml, 'gu');

/** Whether XML 1.0 can carry the text. Every format takes only such texts, so that all that is stored has an XML form. */
export function isXmlText(text: string): boolean {
  return !notXml.test(text);
}

/** The text with U+FFFD for whatever XML can't carry, for what is not data of ours, such as the quotes of an error. */
export function toXmlText(text: string): string {
  return text.replace(everyNotXml, '\uFFFD');
}

/**
 * Escapes the content of an element so that a parser reads exactly the same text again: `>` because of `]]>`, and
 * the carriage return because parsers turn it into a line feed (XML 1.0 §2.11).
 */
export function escapeXmlText(text: string): string {
  // One look for them all settles nearly every text; one pass for each is faster than a callback for each match.
  if (!/[&<>\r]/.test(text)) return text;
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r/g, '&#13;');
}

/**
 * The content of an element that is a text: escaped, or one CDATA section where that would take many references, because
 * parsers limit references, as ours does (`strict-xml.ts`).
 */
export function toXmlContent(text: string): string {
  const escaped = escapeXmlText(text);
  return escaped.length > text.length + MAX_ADDED && countEscapes(text) > MAX_ESCAPES
    ? toCdata(text)
    : escaped;
}

const MAX_ESCAPES = 100;
/** An escape adds 3 characters at least. */
const MAX_ADDED = MAX_ESCAPES * 3;

function countEscapes(text: string): number {
  return text.match(/[&<>]/g)?.length ?? 0;
}

/** A CDATA section holds neither its end nor a carriage return, which parsers turn into a line feed. */
function toCdata(text: string): string {
  const content = text.replaceAll(']]>', ']]]]><![CDATA[>').replaceAll('\r', ']]>&#13;<![CDATA[');
  return `<![CDATA[${content}]]>`;
}

/** The same as `escapeXmlText` for an attribute in double quotes, where parsers turn tabs and line feeds into spaces (§3.3.3). */
export function escapeXmlAttribute(text: string): string {
  if (!/[&<>\r"\t\n]/.test(text)) return text;
  return escapeXmlText(text).replace(/"/g, '&quot;').replace(/\t/g, '&#9;').replace(/\n/g, '&#10;');
}
