import { z } from 'zod';
import { createRenderer } from '../wire/output/renderer.ts';
import { compileXmlWriter } from '../wire/xml/xml-writer.ts';

/** Named schema of a request or response body, with an example. */
export interface Component {
  name: string;
  schema: z.ZodObject;
  /** Root element in XML. */
  element: string;
  namespace?: string;
  /** Member component of a page. */
  member?: Component;
  example: Example;
  /** XML of the example, as the API writes it. */
  exampleXml: string;
}

export type Example = Readonly<Record<string, unknown>>;

/** Creates a component whose XML mirrors its JSON. */
export function createComponent(
  name: string,
  element: string,
  schema: z.ZodObject,
  example: Example,
): Component {
  return { name, element, schema, example, exampleXml: compileXmlWriter(schema, element)(example) };
}

/** Members of a page besides its items and the cursor. */
export interface PageOptions {
  /** Name of the schema; default: the name of the member component followed by `Page`. */
  name?: string;
  /** Whether the list returns a total on request. */
  hasTotal?: true;
  /** Schema of side loads. */
  included?: z.ZodType<object>;
}

/** Creates a page of a collection; its root element is the plural. */
export function createPage(
  member: Component,
  plural: string,
  { name = `${member.name}Page`, hasTotal, included }: PageOptions = {},
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
          description: 'The `cursor` of the next page; null on the last page, and absent there in XML',
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
      description: 'Number of members on all pages; present if requested by `total=true`',
      xml: { attribute: true },
    }),
  total_is_exact: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether `total` is exact; if false, there may be more members',
      xml: { attribute: true },
    }),
};
