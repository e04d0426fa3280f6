import { schemaReference, type WireSchema } from './document.ts';

type Schemas = Record<string, WireSchema>;

/**
 * Moves inner schemas that have a title to the components and refers to them. Generators then create one type for equal
 * schemas in different places.
 *
 * @throws {Error} when two different schemas have the same title
 */
export function nameObjects(schemas: Readonly<Schemas>): Schemas {
  const named = new Map<string, WireSchema>();

  function add(name: string, schema: WireSchema): void {
    const other = named.get(name);
    if (other && withoutTexts(other) !== withoutTexts(schema)) {
      throw new Error(`Two different schemas are named ${name}; rename one of them.`);
    }
    if (!other) named.set(name, schema);
  }

  function nameInner(schema: WireSchema): WireSchema {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, refer(member)]),
        ),
      }),
      ...(items && { items: refer(items) }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: refer(additionalProperties) }),
      ...(anyOf && { anyOf: anyOf.map(refer) }),
    };
  }

  function refer(schema: WireSchema): WireSchema {
    const { title, description, readOnly, ...rest } = nameInner(schema);
    if (title === undefined) return nameInner(schema);
    const isNullable = Array.isArray(rest.type) && rest.type.includes('null');
    add(title, { ...rest, ...(isNullable && { type: 'object' }) });
    const reference = { $ref: schemaReference(title) };
    const annotations = { ...(description !== undefined && { description }), ...(readOnly && { readOnly }) };
    return isNullable
      ? { ...annotations, anyOf: [reference, { type: 'null' }] }
      : { ...annotations, ...reference };
  }

  for (const [name, schema] of Object.entries(schemas)) add(name, nameInner(schema));
  return Object.fromEntries(named);
}

function withoutTexts({ title: _, description: __, ...schema }: WireSchema): string {
  return JSON.stringify(Object.entries(schema).sort(([one], [other]) => one.localeCompare(other)));
}
