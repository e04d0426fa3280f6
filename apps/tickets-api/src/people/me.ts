import { z } from 'zod';
import { personSchema } from './person.ts';
import { roles, type Viewer } from './viewer.ts';

/** Whoever asks, as the API sees them. */
export const meSchema = z.strictObject({
  // A schema of its own: one that the contract has by name cannot be null as well.
  person: z
    .strictObject(personSchema.shape)
    .nullable()
    .describe('Of the verified address; null for machines, and until something was written for it'),
  role: z.enum(roles).describe('What they are here'),
  scopes: z.array(z.string()).meta({ item: 'scope', description: 'What the client may do for them' }),
  client_id: z.string().describe('The client that asks'),
});

export type Me = Readonly<z.output<typeof meSchema>>;

export function toMe({ person, role, scopes, clientId }: Viewer): Me {
  return { person: person ?? null, role, scopes: [...scopes].sort(), client_id: clientId };
}
