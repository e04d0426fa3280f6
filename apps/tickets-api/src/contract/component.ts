import { z } from 'zod';
import { createRenderer } from '../formats/renderer.ts';
import { compileXmlWriter } from '../formats/xml-writer.ts';

/** What a request or an answer consists of: a schema that the contract has by name. */
export interface Component {
  name: string;
  schema: z.ZodObject;
  /** The root element in XML. */
  element: string;
  namespace?: string;
  /** Component of which a page has many. */
  member?: Component;
  example: Example;
  /** The same as the API writes it in XML. */
  exampleXml: string;
}

export type Example = Readonly<Record<string, unknown>>;

/** A component whose XML mirrors its JSON. */
export function createComponent(
  name: string,
  element: string,
  schema: z.ZodObject,
  example: Example,
): Component {
  return { name, element, schema, example, exampleXml: compileXmlWriter(schema, element)(example) };
}

/** What a page has beside its members and the cursor of the next one. */
export interface Beside {
  /** Name of the schema, where it is not that of the member with `Page` behind it. */
  name?: string;
  /** It tells, where somebody asks, how many there are in all. */
  hasTotal?: true;
  /** Of what is sent along with it. */
  included?: z.ZodType<object>;
}

/** A page of a collection; it is named by the plural. */
export function createPage(
  member: Component,
  plural: string,
  { name = `${member.name}Page`, hasTotal, included }: Beside = {},
): Component {
  const { schema, element, example } = member;
  const cursor = 'WyIyMDI2LTAxLTMxIl0';
  const renderer = createRenderer({ schema, singular: element, plural });
  return {
    name,
    member,
    element: plural,
    schema: z.object({
      [plural]: z.array(schema).meta({ item: element, xml: { wrapped: false } }),
      next_cursor: z
        .string()
        .nullable()
        .meta({
          description: 'The `cursor` of the next page; on the last one null, and in XML absent',
          xml: { attribute: true },
        }),
      ...(hasTotal && total),
      ...(included && { included: included.optional() }),
    }),
    example: { [plural]: [example], next_cursor: cursor },
    exampleXml: String(renderer.many('xml', { items: [example], nextCursor: cursor })),
  };
}

const total = {
  total: z
    .int()
    .min(0)
    .optional()
    .meta({
      description: 'How many there are on all pages together, where that was asked for',
      xml: { attribute: true },
    }),
  total_is_exact: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether `total` is all of them; if not, there may be more',
      xml: { attribute: true },
    }),
};
