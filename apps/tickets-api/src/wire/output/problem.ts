import type { Problem } from '@keydesk/server';
import { z } from 'zod';
import { escapeXmlText, toXmlText } from '../xml/xml-text.ts';
import { compileXmlWriter, toElement, XML_DECLARATION } from '../xml/xml-writer.ts';
import type { Format } from './format.ts';

/** Namespace of problem documents (RFC 9457 Appendix B). */
const namespace = ' xmlns="urn:ietf:rfc:7807"';

const fieldErrors = z
  .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
  .meta({ item: 'error' });

/** Returns the prefix of every problem `type`: the page that has a section for each code. */
export function toProblemTypeBase(baseUrl: string): string {
  return `${baseUrl}/docs/errors#`;
}

export type ProblemRenderer = (format: Format, problem: Problem) => string;

/**
 * Creates a renderer of problem documents (RFC 9457) in JSON and XML. Members that are resources, such as `current`,
 * are written by their schema; elements of other arrays are named `i` as in Appendix B.
 *
 * @param members schemas of extension members by name
 * @throws {Error} when a schema has no XML form
 */
export function createProblemRenderer(members: Readonly<Record<string, z.ZodType>> = {}): ProblemRenderer {
  const schemas: Readonly<Record<string, z.ZodType>> = { errors: fieldErrors, ...members };
  const writers = new Map(
    Object.entries(schemas).map(([name, schema]) => [name, compileXmlWriter(schema, name)]),
  );
  return (format, problem) => {
    if (format === 'json') return JSON.stringify(problem);
    const content = Object.entries(problem).map(([name, value]) => {
      const write = writers.get(name);
      return write && value !== undefined ? write(value) : writeGeneric(name, value);
    });
    // A problem may quote the request, and with it characters that XML cannot represent.
    return XML_DECLARATION + toXmlText(toElement('problem', namespace, content.join('')));
  };
}

function writeGeneric(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return toElement(name, ' nil="true"', '');
  if (Array.isArray(value)) return toElement(name, '', value.map((each) => writeGeneric('i', each)).join(''));
  if (typeof value !== 'object') return toElement(name, '', escapeXmlText(String(value)));
  const members = Object.entries(value).map(([member, each]) => writeGeneric(member, each));
  return toElement(name, '', members.join(''));
}
