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
  email: z
    .email()
    .nullable()
    .describe(
      'The verified address, also before there is a person; null for machines, and where none is verified',
    ),
  name: personSchema.shape.name,
  role: z.enum(roles).describe('What they are here'),
  scopes: z.array(z.string()).meta({ item: 'scope', description: 'What the client may do for them' }),
  client_id: z.string().describe('The client that asks'),
});

export type Me = Readonly<z.output<typeof meSchema>>;

export function toMe({ person, email, name, role, scopes, clientId }: Viewer): Me {
  return {
    person: person ?? null,
    email: email ?? null,
    name: person?.name ?? name,
    role,
    scopes: [...scopes].sort(),
    client_id: clientId,
  };
}
