import type { z } from 'zod';

type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Joins the values of a repeated list parameter with commas: many clients send `status=new&status=open` for
 * `status=new,open`.
 */
export function joinRepeated(pairs: Pairs, schema: z.ZodType): Pairs {
  const [[name] = ['']] = pairs;
  if (pairs.length < 2 || !isListSchema(schema)) return pairs;
  return [[name, pairs.map(([, value]) => value).join(',')]];
}

/** Whether the schema parses a string into a list. */
function isListSchema(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'default' || def.type === 'prefault') {
    return isListSchema(def.innerType);
  }
  return def.type === 'pipe' ? isListSchema(def.out) : def.type === 'array';
}
