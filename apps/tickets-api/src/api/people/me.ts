import { z } from 'zod';
import { personSchema, roles } from '../../helpdesk/people/person.ts';
import { toPersonView, type Viewer } from '../../helpdesk/people/viewer.ts';
import { rightsSchema } from '../../helpdesk/roles/right.ts';

/** The caller of the API, in every format. */
export const meSchema = z.strictObject({
  // A separate schema, because a named schema of the contract can't be nullable.
  person: z
    .strictObject(personSchema.shape)
    .meta({ title: 'PersonProfile' })
    .nullable()
    .describe(
      'Person of the account; null for machines, and for customers who have never verified an address',
    ),
  email: z
    .email()
    .nullable()
    .describe('Newest verified address; null for machines, and without a verified address'),
  name: personSchema.shape.name,
  role: z.enum(roles).describe('Role of the caller'),
  rights: rightsSchema.describe('Rights of the role'),
  scopes: z.array(z.string()).meta({ item: 'scope', description: 'What the client may do for them' }),
  client_id: z.string().describe('Client that the access token was issued to'),
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
