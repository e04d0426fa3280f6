import type { AccessToken } from '@keydesk/access-token';
import { z } from 'zod';
import { builtInSet, type DefinitionSet } from '../definitions/definition-set.ts';
import { type FieldSet, noFields } from '../fields/field-set.ts';
import type { Actor } from '../history/audit-event.ts';
import { defaultRights, type Rights } from '../roles/right.ts';
import { emailAddress, type GivenPerson, type Person, type PersonView, type Role, roles } from './person.ts';
import type { SignIn } from './sign-in.ts';

/** Whoever a request is made for: what they may see and do is a function of this. */
export interface Viewer {
  readonly role: Role;
  /** Rights of the role. */
  readonly rights: Rights;
  /** Agents and administrators see every ticket; customers those that are theirs. */
  readonly isStaff: boolean;
  /** What the token says of an account; `undefined`: a machine, which is no person. */
  readonly signIn: SignIn | undefined;
  /** `undefined`: a machine, or a customer who has never had a verified address. */
  readonly person: Person | undefined;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The definitions of custom fields by which they see and write values. */
  readonly fields: FieldSet;
  /** The statuses, types and priorities that there are. */
  readonly definitions: DefinitionSet;
}

/** Who did something, through which client. */
export interface Doer {
  readonly actor: Actor;
  readonly clientId: string | null;
}

/** The helpdesk itself, when nobody asked for it. */
export const system: Doer = { actor: { type: 'system', id: null, name: null }, clientId: null };

const roleSchema = z.enum(roles);
const nameSchema = z.string().trim().min(1).max(200);

/** The viewer that a token stands for, as far as it tells by itself; `undefined` when it has no role here. */
export function toViewer(token: AccessToken): Viewer | undefined {
  const role = roleSchema.safeParse(token.role).data;
  return (
    role && {
      role,
      rights: defaultRights[role],
      isStaff: role !== 'customer',
      signIn: toSignIn(token, role),
      person: undefined,
      clientId: token.clientId,
      scopes: token.scopes,
      fields: noFields,
      definitions: builtInSet,
    }
  );
}

/** A client that acts for itself is its own subject (RFC 9068 §2.2), and signs nobody in. */
function toSignIn({ subject, clientId, claims }: AccessToken, role: Role): SignIn | undefined {
  if (subject === clientId) return undefined;
  return {
    identity: { issuer: String(claims.iss), subject },
    issuedAt: Number(claims.iat),
    email: claims.email_verified === true ? emailAddress.safeParse(claims.email).data : undefined,
    name: nameSchema.safeParse(claims.name).data ?? null,
    role,
  };
}

/** Whether a request names the viewer: by their id, or by an address of theirs. */
export function isNamed({ person }: Viewer, { id = person?.id, email }: GivenPerson): boolean {
  return id === person?.id && (email === null || person?.addresses.includes(email) === true);
}

/** A person as the viewer sees them: customers themselves alone, without what staff keep of them. */
export function toPersonView({ isStaff }: Viewer, person: Person): PersonView {
  if (isStaff) return person;
  const { notes, external_id, role, updated_at, version, ...own } = person;
  return own;
}

/** Who does what the viewer asks for: the person, or a machine in its own name. */
export function toDoer({ clientId, person }: Viewer): Doer {
  return { actor: toActor(person, clientId), clientId };
}

/** The actor of what a person does through a client, or the client in its own name. */
export function toActor(person: Person | undefined, clientId: string): Actor {
  return person
    ? { type: 'person', id: person.id, name: person.name ?? person.email }
    : { type: 'client', id: clientId, name: null };
}
