import sax from 'sax';
import { malformedBody } from '../faults/malformed-body.ts';

/** Limit of references and CDATA sections; `sax` takes as long for each as for hundreds of plain characters. */
const MAX_PIECES = 20_000;

/** Receives the parts of a document in order. A method that throws ends the parsing. */
export interface XmlHandler {
  open(name: string): void;
  /** Called after the `open` of its element. */
  attribute(name: string, value: string): void;
  /** May be called several times for one text. */
  text(text: string): void;
  close(): void;
}

/**
 * Parses an XML 1.0 document with `sax` and rejects constructs that `sax` accepts: DOCTYPE, processing instructions,
 * other declarations, undefined entities, repeated attributes and CDATA outside of the root. The document may have at
 * most `MAX_PIECES` references and CDATA sections.
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
    throw malformedBody(`The body is not well-formed XML at line ${parser.line + 1}: ${reason}.`);
  };
  parser.onopentagstart = (tag) => {
    depth++;
    tag.attributes = createAttributeGuard();
    handler.open(tag.name);
  };
  parser.onattribute = ({ name, value }) => handler.attribute(name, value);
  parser.ontext = handler.text;
  parser.oncdata = handler.text;
  parser.onopencdata = () => {
    if (depth === 0) throw malformedBody('The XML has text outside of its root element.');
    countPiece();
  };
  parser.onclosetag = () => {
    depth--;
    handler.close();
  };
  parser.ondoctype = () => rejectMarkup('A DOCTYPE');
  parser.onprocessinginstruction = () => rejectMarkup('A processing instruction');
  parser.onsgmldeclaration = () => rejectMarkup('A markup declaration');
  parser.write(normalizeLineEnds(skipDeclaration(text))).close();
}

function createPieceCounter(): () => void {
  let count = 0;
  return () => {
    if (++count <= MAX_PIECES) return;
    throw malformedBody(
      `The XML has more than ${MAX_PIECES} references (such as &amp;) and CDATA sections; put long text into one CDATA section, or send JSON.`,
    );
  };
}

/** Counts references: `sax` looks up each one here, once or twice at the same position. */
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

/** Creates the attributes object of an element; `sax` calls its `hasOwnProperty` first and silently drops duplicates. */
function createAttributeGuard(): object {
  const names = new Set<string>();
  return {
    hasOwnProperty(name: string) {
      if (names.has(name)) throw malformedBody(`The XML repeats the attribute ${name} of an element.`);
      names.add(name);
      return false;
    },
  };
}

function rejectMarkup(what: string): never {
  throw malformedBody(`${what} is not supported in XML; remove it.`);
}

/** Skips the XML declaration, which is only allowed at the very start and with UTF-8, the encoding of the body. */
function skipDeclaration(text: string): string {
  if (!/^<\?xml\s/.test(text)) return text;
  const declaration =
    /^<\?xml\s+version\s*=\s*(["'])1\.0\1(\s+encoding\s*=\s*(["'])utf-8\3)?(\s+standalone\s*=\s*(["'])(yes|no)\5)?\s*\?>/i;
  const [found] = declaration.exec(text) ?? [];
  if (found !== undefined) return text.slice(found.length);
  throw malformedBody('The XML declaration must have version 1.0 and encoding UTF-8.');
}

/** Normalizes line ends to line feeds (XML 1.0 §2.11), which `sax` does not. */
function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
