import type { WireSchema } from './document.ts';

/**
 * Derives the schema of a JSON merge patch (RFC 7396): all members are optional, and removable ones are nullable.
 *
 * @param required members that the resource must have, which are therefore not nullable
 */
export function toMergePatchSchema(schema: WireSchema, required: readonly string[]): WireSchema {
  const { required: _, default: __, title, ...patch } = schema;
  if (typeof schema.additionalProperties === 'object') {
    return { ...patch, additionalProperties: withNull(schema.additionalProperties) };
  }
  if (!schema.properties) return { ...patch, ...(title !== undefined && { title }) };
  const properties = Object.entries(schema.properties).map(([name, member]) => {
    const part = toMergePatchSchema(member, member.required ?? []);
    return [name, required.includes(name) || member.readOnly ? part : withNull(part)];
  });
  return {
    ...patch,
    ...(title !== undefined && { title: title.replace(/Input$/, 'Patch') }),
    properties: Object.fromEntries(properties),
  };
}

function withNull(schema: WireSchema): WireSchema {
  const types = [schema.type ?? []].flat();
  if (types.length === 0 || types.includes('null')) return schema;
  return { ...schema, type: [...types, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

/**
 * Derives the schema of a resource as `application/x-www-form-urlencoded`: lists are repeated as `name[]`, values of
 * maps are strings, and an empty string means null. Lists of objects cannot be sent in a form.
 */
export function toFormSchema(schema: WireSchema): WireSchema {
  const { required } = schema;
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([, { items }]) => !items?.properties && !items?.$ref),
  );
  const isList = (name: string) => [properties[name]?.type].flat().includes('array');
  const toName = (name: string) => (isList(name) ? `${name}[]` : name);
  const members = Object.entries(properties).map(([name, member]) => [toName(name), toFormMember(member)]);
  return {
    ...schema,
    properties: Object.fromEntries(members),
    ...(required && { required: required.map(toName) }),
  };
}

function toFormMember({ default: _, xml: __, ...member }: WireSchema): WireSchema {
  if (member.properties) return { ...toFormSchema(member), type: 'object' };
  if (typeof member.additionalProperties === 'object') {
    const texts = member.additionalProperties.anyOf?.find(({ type }) => type === 'string');
    return { ...member, additionalProperties: texts ?? member.additionalProperties };
  }
  // An empty list is sent as one empty string, under the name without brackets.
  if ([member.type].flat().includes('array')) return { ...member, type: 'array' };
  if (!Array.isArray(member.type)) return member;
  const [type] = member.type;
  const words = member.enum?.filter((word) => word !== null);
  return { anyOf: [{ ...member, type, ...(words && { enum: words }) }, { const: '' }] };
}
