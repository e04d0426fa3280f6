import type { AccessToken } from '@keydesk/access-token';
import { z } from 'zod';
import { type FieldSet, noFields } from '../fields/field-set.ts';
import type { Actor } from '../history/ticket-event.ts';
import { emailAddress, type Person } from './person.ts';

export const roles = ['customer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whoever a request is made for: what they may see and do is a function of this. */
export interface Viewer {
  readonly role: Role;
  /** Agents and administrators see every ticket; customers those that are theirs. */
  readonly isStaff: boolean;
  /** Verified by the issuer, in lower case. `undefined`: a machine, or somebody who has not shown that it is theirs. */
  readonly email: string | undefined;
  readonly name: string | null;
  /** `undefined` until something was written by or for the address. */
  readonly person: Person | undefined;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The definitions of custom fields by which they see and write values. */
  readonly fields: FieldSet;
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
export function toViewer({ role, clientId, scopes, claims }: AccessToken): Viewer | undefined {
  const known = roleSchema.safeParse(role);
  if (!known.success) return undefined;
  const email = claims.email_verified === true ? emailAddress.safeParse(claims.email).data : undefined;
  return {
    role: known.data,
    isStaff: known.data !== 'customer',
    email,
    name: nameSchema.safeParse(claims.name).data ?? null,
    person: undefined,
    clientId,
    scopes,
    fields: noFields,
  };
}

/** Who does what the viewer asks for: the person, or a machine in its own name. */
export function toDoer({ clientId }: Viewer, person: Person | undefined): Doer {
  const actor: Actor = person
    ? { type: 'person', id: person.id, name: person.name ?? person.email }
    : { type: 'client', id: clientId, name: null };
  return { actor, clientId };
}
