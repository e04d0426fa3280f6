import { z } from 'zod';

/** The entity tag of a resource as a member of it. */
export const etagMember = z.string().meta({
  readOnly: true,
  description:
    'Its entity tag in this format, for `If-Match` and `If-None-Match`; ignored when it is sent back',
});

/** The schema of a resource as it is sent: with its entity tag. */
export function tagged<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  return z.strictObject({ ...schema.shape, etag: etagMember });
}
