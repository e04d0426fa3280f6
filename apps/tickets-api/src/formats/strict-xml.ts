import sax from 'sax';
import { malformed } from './malformed.ts';

/** Each of them costs `sax` as much as hundreds of plain characters. */
const MAX_PIECES = 20_000;

/** What a document consists of, in its order. Throwing from any of these ends the reading. */
export interface XmlHandler {
  open(name: string): void;
  /** Follows the `open` of its element. */
  attribute(name: string, value: string): void;
  /** May come in pieces. */
  text(text: string): void;
  close(): void;
}

/**
 * Reads an XML 1.0 document by `sax`, and refuses what `sax` lets pass: DOCTYPE, processing instructions, any other
 * declaration, entities beyond the five predefined ones, repeated attributes, CDATA outside of the root. A document may
 * have `MAX_PIECES` references and CDATA sections.
 *
 * @throws {AppError} `malformed_body`
 */
export function readStrictXml(text: string, handler: XmlHandler): void {
  const parser = sax.parser(true, { strictEntities: true });
  const countPiece = createPieceCounter();
  let depth = 0;
  parser.ENTITIES = countReferences(parser, countPiece);
  parser.onerror = ({ message }) => {
    const reason = message.split('\n')[0]?.replace(/\.$/, '');
    throw malformed(`The body is not well-formed XML at line ${parser.line + 1}: ${reason}.`);
  };
  parser.onopentagstart = (tag) => {
    depth++;
    tag.attributes = refuseRepeats();
    handler.open(tag.name);
  };
  parser.onattribute = ({ name, value }) => handler.attribute(name, value);
  parser.ontext = handler.text;
  parser.oncdata = handler.text;
  parser.onopencdata = () => {
    if (depth === 0) throw malformed('The XML has text outside of its root element.');
    countPiece();
  };
  parser.onclosetag = () => {
    depth--;
    handler.close();
  };
  parser.ondoctype = () => refuse('A DOCTYPE');
  parser.onprocessinginstruction = () => refuse('A processing instruction');
  parser.onsgmldeclaration = () => refuse('A markup declaration');
  parser.write(normalizeLineEnds(skipDeclaration(text))).close();
}

function createPieceCounter(): () => void {
  let count = 0;
  return () => {
    if (++count <= MAX_PIECES) return;
    throw malformed(
      `The XML has more than ${MAX_PIECES} references (such as &amp;) and CDATA sections; put long text into one CDATA section, or send JSON.`,
    );
  };
}

/** `sax` looks for each reference in this, once or twice at the same position. */
function countReferences(parser: { readonly position: number }, count: () => void): object {
  let last = -1;
  return new Proxy(sax.XML_ENTITIES, {
    get(entities, name: string) {
      if (parser.position !== last) count();
      last = parser.position;
      return entities[name];
    },
  });
}

/** `sax` asks this before it takes an attribute, and drops one that is already there without a word. */
function refuseRepeats(): object {
  const names = new Set<string>();
  return {
    hasOwnProperty(name: string) {
      if (names.has(name)) throw malformed(`The XML repeats the attribute ${name} of an element.`);
      names.add(name);
      return false;
    },
  };
}

function refuse(what: string): never {
  throw malformed(`${what} is not accepted in XML.`);
}

/** The XML declaration may only stand at the very start, and only for UTF-8, as the body is. */
function skipDeclaration(text: string): string {
  if (!/^<\?xml\s/.test(text)) return text;
  const declaration =
    /^<\?xml\s+version\s*=\s*(["'])1\.0\1(\s+encoding\s*=\s*(["'])utf-8\3)?(\s+standalone\s*=\s*(["'])(yes|no)\5)?\s*\?>/i;
  const [found] = declaration.exec(text) ?? [];
  if (found !== undefined) return text.slice(found.length);
  throw malformed('The XML declaration must say version 1.0 and encoding UTF-8.');
}

/** Line ends become line feeds before anything else is read (XML 1.0 §2.11); `sax` leaves them. */
function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
