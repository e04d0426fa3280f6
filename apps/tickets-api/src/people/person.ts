import { z } from 'zod';
import { writtenTimestamp } from '../formats/timestamp.ts';

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

/** Somebody whom tickets refer to, known by an e-mail address, which is in lower case. */
export const personSchema = z.strictObject({
  id: z.uuid().meta({ readOnly: true, description: 'Names the person, for ever' }),
  email: emailAddress,
  name: personName,
  created_at: writtenTimestamp.meta({ readOnly: true, description: 'When they were first heard of' }),
});

export type Person = Readonly<z.output<typeof personSchema>>;

/** A person as a ticket or reply shows them: as they were when it was written. */
export const personReferenceSchema = personSchema.pick({ id: true, email: true, name: true });

export type PersonReference = Readonly<z.output<typeof personReferenceSchema>>;

/** How a request names a person: by e-mail address, which finds or creates them, or as they were read. */
export const givenPersonSchema = z.strictObject({
  id: z.uuid().toLowerCase().optional().describe('As it was read; it must be the id of that address'),
  email: emailAddress,
  name: personName.default(null),
});

export type GivenPerson = Readonly<z.output<typeof givenPersonSchema>>;

export function toReference({ id, email, name }: Person): PersonReference {
  return Object.freeze({ id, email, name });
}
