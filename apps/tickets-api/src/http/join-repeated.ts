import type { z } from 'zod';

type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * One parameter for several of the same name, where it takes a list: many clients repeat a parameter for each value
 * (`status=new&status=open`), which means the same as values between commas.
 */
export function joinRepeated(pairs: Pairs, schema: z.ZodType): Pairs {
  const [[name] = ['']] = pairs;
  if (pairs.length < 2 || !takesList(schema)) return pairs;
  return [[name, pairs.map(([, value]) => value).join(',')]];
}

/** Whether the schema makes a list of a text. */
function takesList(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'default' || def.type === 'prefault') {
    return takesList(def.innerType);
  }
  return def.type === 'pipe' ? takesList(def.out) : def.type === 'array';
}
