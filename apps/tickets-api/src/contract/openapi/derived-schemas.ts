import type { WireSchema } from './document.ts';

/**
 * What a JSON merge patch (RFC 7396) of a resource may hold: any part of it, and null for what may be taken away.
 *
 * @param required the members that a resource must have, so that null can't stand for them
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
 * How a resource looks as `application/x-www-form-urlencoded`: lists are repeated as `name[]`, a map holds texts, and
 * an empty text stands for null. A list of objects has no form.
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
  // A list without members is sent as one empty text, under the name without brackets.
  if ([member.type].flat().includes('array')) return { ...member, type: 'array' };
  if (!Array.isArray(member.type)) return member;
  const [type] = member.type;
  const words = member.enum?.filter((word) => word !== null);
  return { anyOf: [{ ...member, type, ...(words && { enum: words }) }, { const: '' }] };
}
