import { schemaReference, type WireSchema } from './document.ts';

type Schemas = Record<string, WireSchema>;

/**
 * Moves the inner schemas that have a title among the components, under that title, and refers to them there, so that
 * generators make one type of what is the same in many places.
 *
 * @throws {Error} when two schemas that differ have one title
 */
export function nameObjects(schemas: Readonly<Schemas>): Schemas {
  const named = new Map<string, WireSchema>();

  function add(name: string, schema: WireSchema): void {
    const other = named.get(name);
    if (other && withoutWords(other) !== withoutWords(schema)) {
      throw new Error(`Two schemas are named ${name}; give one of them another title.`);
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
    const words = { ...(description !== undefined && { description }), ...(readOnly && { readOnly }) };
    return isNullable ? { ...words, anyOf: [reference, { type: 'null' }] } : { ...words, ...reference };
  }

  for (const [name, schema] of Object.entries(schemas)) add(name, nameInner(schema));
  return Object.fromEntries(named);
}

function withoutWords({ title: _, description: __, ...schema }: WireSchema): string {
  return JSON.stringify(Object.entries(schema).sort(([one], [other]) => one.localeCompare(other)));
}
