import { z } from 'zod';

/** Schema of the entity tag as a member of its resource. */
export const etagMember = z.string().meta({
  readOnly: true,
  description: 'Entity tag in this format; send it as `If-Match` or `If-None-Match`. Ignored in requests',
});

/** Adds the entity tag to the schema of a resource. */
export function withEtag<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  return z.strictObject({ ...schema.shape, etag: etagMember });
}
