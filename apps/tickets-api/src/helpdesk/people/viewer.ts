import type { AccessToken } from '@keydesk/access-token';
import { z } from 'zod';
import type { DefinitionCatalogue, FieldCatalogue, RoleCatalogue } from '../catalogues.ts';
import { builtInSet, type DefinitionSet } from '../definitions/definition-set.ts';
import { type FieldSet, noFields } from '../fields/field-set.ts';
import type { Actor } from '../history/audit-event.ts';
import { defaultRights, type Rights } from '../roles/right.ts';
import type { People } from './people.ts';
import { emailAddress, type GivenPerson, type Person, type PersonView, type Role, roles } from './person.ts';
import type { SignIn } from './sign-in.ts';

/** Person or client for whom a request is made; decides what the request may see and do. */
export interface Viewer {
  readonly role: Role;
  /** Rights of the role. */
  readonly rights: Rights;
  /** Whether the viewer is an agent or administrator, who see all tickets; customers see their own. */
  readonly isStaff: boolean;
  /** Claims of the account; `undefined` for a machine, which is not a person. */
  readonly signIn: SignIn | undefined;
  /** Person of the account; `undefined` for a machine, or a customer who has never had a verified address. */
  readonly person: Person | undefined;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** Definitions of custom fields, which decide the values that the viewer sees and writes. */
  readonly fields: FieldSet;
  /** Definitions of statuses, types and priorities. */
  readonly definitions: DefinitionSet;
}

/** Author of a change, and the client that it was made through. */
export interface ChangeAuthor {
  readonly actor: Actor;
  readonly clientId: string | null;
}

/** The helpdesk itself, as the author of changes that no user requested. */
export const system: ChangeAuthor = { actor: { type: 'system', id: null, name: null }, clientId: null };

const roleSchema = z.enum(roles);
const nameSchema = z.string().trim().min(1).max(200);

/** Returns the viewer of a token, without stored data; `undefined` when the token has no role here. */
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

/**
 * Returns the claims of the account; `undefined` for a client that acts for itself and is its own subject (RFC 9068
 * §2.2).
 */
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

/** Whether a reference is to the viewer, by their id or one of their addresses. */
export function isNamed({ person }: Viewer, { id = person?.id, email }: GivenPerson): boolean {
  return id === person?.id && (email === null || person?.addresses.includes(email) === true);
}

/** Returns the view of a person: customers see only themselves, without the members for staff. */
export function toPersonView({ isStaff }: Viewer, person: Person): PersonView {
  if (isStaff) return person;
  const { notes, external_id, role, updated_at, version, ...own } = person;
  return own;
}

/** Returns the author of the viewer's changes: the person, or a machine in its own name. */
export function toChangeAuthor({ clientId, person }: Viewer): ChangeAuthor {
  return { actor: toActor(person, clientId), clientId };
}

/** Returns the actor for a person, or for a client in its own name. */
export function toActor(person: Person | undefined, clientId: string): Actor {
  return person
    ? { type: 'person', id: person.id, name: person.name ?? person.email }
    : { type: 'client', id: clientId, name: null };
}

/**
 * Loads the person and the rights of a viewer, and the current definitions of fields, statuses, types and priorities.
 */
export type LoadViewer = (viewer: Viewer) => Promise<Viewer>;

export interface LoadViewerDeps {
  people: Pick<People, 'withPerson'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  definitions: Pick<DefinitionCatalogue, 'current'>;
  roles: Pick<RoleCatalogue, 'current'>;
}

export function createLoadViewer({ people, catalogue, definitions, roles }: LoadViewerDeps): LoadViewer {
  return async (viewer) => {
    const known = await people.withPerson(viewer);
    return {
      ...known,
      fields: await catalogue.current(),
      definitions: await definitions.current(),
      rights: (await roles.current()).get(viewer.role).rights,
    };
  };
}
