import { isReservedName } from '@keydesk/http';
import { MAX_DEPTH, MAX_VALUES, malformed, reserved, tooDeep, tooMany } from './malformed.ts';
import { readStrictXml, type XmlHandler } from './strict-xml.ts';

/** An element holds either text or elements; white space between elements is not kept. */
export interface XmlElement {
  name: string;
  attributes: XmlAttributes;
  children: XmlElement[];
  text: string;
}

/** All the attributes there are. */
export interface XmlAttributes {
  nil?: string;
  type?: string;
  key?: string;
}

/**
 * Reads an XML document into its elements. Beyond what `readStrictXml` refuses there are no namespaces, no mixed
 * content, no names of `Object.prototype`, exactly one root, at most `MAX_DEPTH` levels and `MAX_VALUES` elements.
 *
 * @throws {AppError} `malformed_body`
 */
export function readXml(text: string, root: string): XmlElement {
  const document = toElement('');
  readStrictXml(text, collectInto(document, root));
  const [element] = document.children;
  if (!element) throw malformed(`The body must be one <${root}> element.`);
  return element;
}

function collectInto(document: XmlElement, root: string): XmlHandler {
  const open = [document];
  const current = () => open.at(-1) ?? document;
  let count = 0;
  return {
    open(name) {
      const parent = current();
      const isRoot = parent === document;
      if (isRoot && (name !== root || count > 0)) throw malformed(`The body must be one <${root}> element.`);
      if (open.length > MAX_DEPTH) throw tooDeep();
      if (++count > MAX_VALUES) throw tooMany();
      if (name.includes(':')) throw malformed(`Namespaces are not accepted in XML: <${name}>.`);
      if (isReservedName(name)) throw reserved([...open.slice(2).map((element) => element.name), name]);
      refuseMixture(parent);
      const element = toElement(name);
      parent.children.push(element);
      open.push(element);
    },
    attribute: (name, value) => setAttribute(current(), name, value),
    text(text) {
      const element = current();
      element.text += text;
      if (element.children.length > 0) refuseMixture(element);
    },
    close() {
      open.pop();
    },
  };
}

function toElement(name: string): XmlElement {
  return { name, attributes: {}, children: [], text: '' };
}

function setAttribute({ name: element, attributes }: XmlElement, name: string, value: string): void {
  if (name === 'nil' || name === 'type' || name === 'key') attributes[name] = value;
  else if (/^xmlns(:|$)|:/.test(name)) throw malformed(`Namespaces are not accepted in XML: ${name}.`);
  else throw malformed(`The element <${element}> has the unknown attribute ${name}.`);
}

/** Whether there is text other than the white space of indentation. */
export function hasText({ text }: XmlElement): boolean {
  return /[^ \t\r\n]/.test(text);
}

/** Text beside elements has no meaning here. */
function refuseMixture(element: XmlElement): void {
  if (hasText(element)) throw malformed(`The element <${element.name}> mixes text and elements.`);
  element.text = '';
}
