import { z } from 'zod';
import { outputTimestamp, timestamp } from '../../wire/timestamp.ts';
import { withEtag } from '../../wire/with-etag.ts';

/** At most 64 characters before the @ and 63 between dots, as mail servers take them (RFC 5321 §4.5.3.1, RFC 1035 §2.3.4). */
const mailable = /^[^@]{1,64}@(?:[^@.]{1,63}\.)+[^@.]{1,63}$/;

/** In lower case, for addresses are compared without regard to case. */
export const emailAddress = z
  .email({ error: 'must be an e-mail address', abort: true })
  .max(254)
  .regex(mailable, 'must be an e-mail address')
  .describe('An e-mail address')
  .transform((address) => address.toLowerCase());

const personName = z.string().min(1).max(200).nullable().describe('As it is to be shown');

/** Roles that the authorization server gives and that let a caller in here. */
export const roles = ['customer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whether it is the role of an agent or an administrator. */
export function isStaffRole(role: Role | null): boolean {
  return role === 'agent' || role === 'admin';
}

/** The members that staff correct. */
const correctable = {
  name: personName,
  phone: z.string().trim().min(1).max(50).nullable().describe('Telephone number'),
  language: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as en or pt-BR')
    .nullable()
    .describe('Language tag (RFC 5646)'),
  time_zone: z
    .string()
    .max(64)
    .meta({ pattern: '^[A-Za-z][A-Za-z0-9+/_-]*$' })
    .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
    .nullable()
    .describe('Name in the IANA time zone database'),
  notes: z.string().min(1).max(10_000).nullable().describe('Notes for staff'),
  external_id: z.string().min(1).max(255).nullable().describe('Their id in another system; for staff'),
};

/** A person whom tickets refer to, as staff see them. */
const staffPersonSchema = z.strictObject({
  id: z.uuid().meta({ readOnly: true, description: 'Names the person, for ever' }),
  email: emailAddress
    .nullable()
    .meta({ readOnly: true, description: 'Newest of their addresses; null when they have none' }),
  addresses: z
    .array(emailAddress)
    .meta({ readOnly: true, item: 'address', description: 'Their e-mail addresses, newest first' }),
  ...correctable,
  role: z
    .enum(roles)
    .nullable()
    .meta({ readOnly: true, description: 'Role at the latest sign-in; null before the first one' }),
  created_at: outputTimestamp.meta({
    readOnly: true,
    description: 'When they were first named or signed in',
  }),
  updated_at: timestamp.meta({ readOnly: true, description: 'When they were last changed' }),
  version: z.int().min(1).meta({ readOnly: true, description: 'Counts their changes from 1' }),
});

export type Person = Readonly<z.output<typeof staffPersonSchema>>;

/** A person as every format shows them: customers see themselves, without what staff keep of them. */
export const personSchema = staffPersonSchema.partial({
  notes: true,
  external_id: true,
  role: true,
  updated_at: true,
  version: true,
});

/** The members that staff correct, with what they are where nothing is said. */
export const personContentSchema = z.strictObject({
  name: correctable.name.default(null),
  phone: correctable.phone.default(null),
  language: correctable.language.default(null),
  time_zone: correctable.time_zone.default(null),
  notes: correctable.notes.default(null),
  external_id: correctable.external_id.default(null),
});

export type PersonContent = Readonly<z.output<typeof personContentSchema>>;

/** What `PUT /person/{id}` takes: members that staff correct, and the others as they were read. */
export const personEditSchema = withEtag(staffPersonSchema).partial();

export type PersonEdit = Readonly<z.output<typeof personEditSchema>>;

export type PersonView = Readonly<z.output<typeof personSchema>>;

/** An account of an issuer: what a person is recognised by. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The merge of a person into another, some of whose tickets may still refer to them. */
export interface PendingMerge {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The person who asked for it; null: a client in its own name, or the helpdesk itself. */
  readonly personId: string | null;
  /** Null: the helpdesk itself. */
  readonly clientId: string | null;
}

/** A person as the store keeps them. Frozen. */
export interface PersonRecord {
  readonly person: Person;
  /** Empty until they first sign in. */
  readonly identities: readonly Identity[];
  /** When the newest token that changed them was issued, in seconds since 1970; 0 before the first sign-in. */
  readonly claimsAt: number;
  /** The person in whose place they are now; they have no address and no identity any more. */
  readonly mergedInto?: string;
  /** Present until every ticket refers to the other person. */
  readonly pendingMerge?: PendingMerge;
  /** Whether any sign-in had the role of staff. It stays when the role changes, so that no address is shown later. */
  readonly hasBeenStaff?: true;
  /** Milliseconds since 1970. Present until no ticket, reply or event shows customers an address of theirs. */
  readonly maskingSince?: number;
}

/** A person as a ticket or reply shows them: as they were when it was written. */
export const personReferenceSchema = personSchema
  .pick({ id: true, email: true, name: true })
  .extend({
    email: emailAddress.nullable().meta({
      readOnly: true,
      description: 'As it was then; null when there was none, and for customers the address of staff',
    }),
  })
  .meta({ title: 'PersonReference' });

export type PersonReference = Readonly<z.output<typeof personReferenceSchema>>;

/** How a request names a person: by e-mail address, which finds or adds them, by id, or as they were read. */
export const givenPersonSchema = z
  .strictObject({
    id: z.uuid().toLowerCase().optional().describe('As it was read; it must be the id of that address'),
    email: emailAddress.nullable().default(null),
    name: personName.default(null),
  })
  .refine(({ id, email }) => id !== undefined || email !== null, {
    path: ['email'],
    error: 'is required where there is no id',
  })
  .meta({ title: 'PersonReference' });

export type GivenPerson = Readonly<z.output<typeof givenPersonSchema>>;

export function toReference({ id, email, name }: Person): PersonReference {
  return Object.freeze({ id, email, name });
}

/** The place of a person in the list of people: by address, and behind all addresses who has none. */
export function toPlace({ id, email }: Pick<Person, 'id' | 'email'>): string {
  return email ?? `~${id}`;
}

/** Whether a time zone has this name; offsets are none. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
