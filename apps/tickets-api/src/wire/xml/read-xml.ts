import { isReservedName } from '@keydesk/server';
import {
  MAX_DEPTH,
  MAX_VALUES,
  malformedBody,
  reservedName,
  tooDeep,
  tooManyValues,
} from '../faults/malformed-body.ts';
import { readStrictXml, type XmlHandler } from './strict-xml.ts';

/** XML element with either text or child elements; white space between elements is dropped. */
export interface XmlElement {
  name: string;
  attributes: XmlAttributes;
  children: XmlElement[];
  text: string;
}

/** Supported attributes. */
export interface XmlAttributes {
  nil?: string;
  type?: string;
  key?: string;
}

/**
 * Reads an XML document into elements. In addition to `readStrictXml`, it rejects namespaces, mixed content, names of
 * `Object.prototype`, more than one root, more than `MAX_DEPTH` levels and more than `MAX_VALUES` elements.
 *
 * @throws {AppError} `malformed_body`
 */
export function readXml(text: string, root: string): XmlElement {
  const document = toElement('');
  readStrictXml(text, collectInto(document, root));
  const [element] = document.children;
  if (!element) throw malformedBody(`The body must be one <${root}> element.`);
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
      if (isRoot && (name !== root || count > 0))
        throw malformedBody(`The body must be one <${root}> element.`);
      if (open.length > MAX_DEPTH) throw tooDeep();
      if (++count > MAX_VALUES) throw tooManyValues();
      if (name.includes(':')) throw malformedBody(`Namespaces are not supported in XML: <${name}>.`);
      if (isReservedName(name)) throw reservedName([...open.slice(2).map((element) => element.name), name]);
      rejectMixedContent(parent);
      const element = toElement(name);
      parent.children.push(element);
      open.push(element);
    },
    attribute: (name, value) => setAttribute(current(), name, value),
    text(text) {
      const element = current();
      element.text += text;
      if (element.children.length > 0) rejectMixedContent(element);
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
  else if (/^xmlns(:|$)|:/.test(name)) throw malformedBody(`Namespaces are not supported in XML: ${name}.`);
  else throw malformedBody(`The element <${element}> has the unknown attribute ${name}.`);
}

/** Whether an element has text other than white space. */
export function hasText({ text }: XmlElement): boolean {
  return /[^ \t\r\n]/.test(text);
}

/** Rejects text beside elements, which has no meaning here. */
function rejectMixedContent(element: XmlElement): void {
  if (hasText(element)) throw malformedBody(`The element <${element.name}> mixes text and elements.`);
  element.text = '';
}
