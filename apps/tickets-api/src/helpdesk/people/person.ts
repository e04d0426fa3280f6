import { z } from 'zod';
import { versionShape, withEtag } from '../../wire/schema/read-only.ts';
import { outputTimestamp } from '../../wire/schema/scalars.ts';

/**
 * Address that mail servers accept: at most 64 characters before the @, and 63 between dots (RFC 5321 §4.5.3.1, RFC
 * 1035 §2.3.4).
 */
const mailable = /^[^@]{1,64}@(?:[^@.]{1,63}\.)+[^@.]{1,63}$/;

/** E-mail address in lower case, because addresses are compared without regard to case. */
export const emailAddress = z
  .email({ error: 'must be an e-mail address', abort: true })
  .max(254)
  .regex(mailable, 'must be an e-mail address')
  .describe('E-mail address')
  .transform((address) => address.toLowerCase());

const personName = z.string().min(1).max(200).nullable().describe('Display name');

/** Roles from the authorization server that give access to the API. */
export const roles = ['customer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whether a role is agent or administrator. */
export function isStaffRole(role: Role | null): boolean {
  return role === 'agent' || role === 'admin';
}

/** Members that staff can correct. */
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
  notes: z.string().min(1).max(10_000).nullable().describe('Notes, visible to staff only'),
  external_id: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .describe('Id of the person in another system; visible to staff only'),
};

/** A person in the view of staff. */
const staffPersonSchema = z.strictObject({
  id: z.uuid().meta({ readOnly: true, description: 'Permanent id of the person' }),
  email: emailAddress
    .nullable()
    .meta({ readOnly: true, description: 'Newest e-mail address; null without one' }),
  addresses: z
    .array(emailAddress)
    .meta({ readOnly: true, item: 'address', description: 'E-mail addresses, newest first' }),
  ...correctable,
  role: z
    .enum(roles)
    .nullable()
    .meta({ readOnly: true, description: 'Role at the latest sign-in; null before the first sign-in' }),
  created_at: outputTimestamp.meta({
    readOnly: true,
    description: 'Time when the person was first referred to or signed in',
  }),
  ...versionShape,
});

export type Person = Readonly<z.output<typeof staffPersonSchema>>;

/** A person in every format. Customers see only themselves, without the members for staff. */
export const personSchema = staffPersonSchema.partial({
  notes: true,
  external_id: true,
  role: true,
  updated_at: true,
  version: true,
});

/** Members that staff can correct, with their defaults. */
export const personContentSchema = z.strictObject({
  name: correctable.name.default(null),
  phone: correctable.phone.default(null),
  language: correctable.language.default(null),
  time_zone: correctable.time_zone.default(null),
  notes: correctable.notes.default(null),
  external_id: correctable.external_id.default(null),
});

export type PersonContent = Readonly<z.output<typeof personContentSchema>>;

/** Body of `PUT /person/{id}`: any writable members, and read-only ones with their current values. */
export const personEditSchema = withEtag(staffPersonSchema).partial();

export type PersonEdit = Readonly<z.output<typeof personEditSchema>>;

export type PersonView = Readonly<z.output<typeof personSchema>>;

/** Account at an issuer, which identifies a person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Pending merge of a person into another; some tickets may still refer to the merged one. */
export interface PendingMerge {
  /** Start of the merge, in milliseconds since 1970. */
  readonly since: number;
  /** Id of the person who requested the merge; null: a client in its own name, or the helpdesk itself. */
  readonly personId: string | null;
  /** Id of the client; null: the helpdesk itself. */
  readonly clientId: string | null;
}

/** Stored person. Frozen. */
export interface PersonRecord {
  readonly person: Person;
  /** Accounts of the person; empty until the first sign-in. */
  readonly identities: readonly Identity[];
  /** Time of issue of the token that last changed the person, in seconds since 1970; 0 before the first sign-in. */
  readonly claimsAt: number;
  /** Id of the person into whom this one was merged; a merged person has no address and no identity. */
  readonly mergedInto?: string;
  /** Present until no ticket refers to this person. */
  readonly pendingMerge?: PendingMerge;
  /** Whether any sign-in had a staff role. It remains after a change of role, so that addresses stay masked. */
  readonly hasBeenStaff?: true;
  /**
   * Start of the pending masking, in milliseconds since 1970. Present until no ticket, reply or event shows customers
   * an address of this person.
   */
  readonly maskingSince?: number;
}

/** Reference of a ticket or reply to a person, with their address and name at the time of writing. */
export const personReferenceSchema = personSchema
  .pick({ id: true, email: true, name: true })
  .extend({
    email: emailAddress.nullable().meta({
      readOnly: true,
      description: 'E-mail address at that time; null without one. Customers see null if the person is staff',
    }),
  })
  .meta({ title: 'PersonReference' });

export type PersonReference = Readonly<z.output<typeof personReferenceSchema>>;

/** Reference to a person in a request: by e-mail address, which finds or adds the person, by id, or as it was read. */
export const givenPersonSchema = z
  .strictObject({
    id: z
      .uuid()
      .toLowerCase()
      .optional()
      .describe('Id of the person, as in responses; must belong to the address, if both are given'),
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

/** Returns the sort key of a person in the list by address; people without an address come last. */
export function toListKey({ id, email }: Pick<Person, 'id' | 'email'>): string {
  return email ?? `~${id}`;
}

/** Whether a time zone has this name. An offset is not a name. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
