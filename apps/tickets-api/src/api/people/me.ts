import { z } from 'zod';
import { personSchema, roles } from '../../helpdesk/people/person.ts';
import { toPersonView, type Viewer } from '../../helpdesk/people/viewer.ts';
import { rightsSchema } from '../../helpdesk/roles/right.ts';

/** Whoever asks, as the API sees them. */
export const meSchema = z.strictObject({
  // A schema of its own: one that the contract has by name cannot be null as well.
  person: z
    .strictObject(personSchema.shape)
    .meta({ title: 'PersonProfile' })
    .nullable()
    .describe('Of the account; null for machines, and for customers who have never verified an address'),
  email: z
    .email()
    .nullable()
    .describe('Newest verified address; null for machines, and where none is verified'),
  name: personSchema.shape.name,
  role: z.enum(roles).describe('What they are here'),
  rights: rightsSchema.describe('Rights of the role'),
  scopes: z.array(z.string()).meta({ item: 'scope', description: 'What the client may do for them' }),
  client_id: z.string().describe('The client that asks'),
});

export type Me = Readonly<z.output<typeof meSchema>>;

export function toMe(viewer: Viewer): Me {
  const { person, signIn, role, rights, scopes, clientId } = viewer;
  return {
    person: person ? toPersonView(viewer, person) : null,
    email: person?.email ?? null,
    name: person?.name ?? signIn?.name ?? null,
    role,
    rights,
    scopes: [...scopes].sort(),
    client_id: clientId,
  };
}
