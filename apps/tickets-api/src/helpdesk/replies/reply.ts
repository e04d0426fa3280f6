import { z } from 'zod';
import { versionShape } from '../../wire/schema/read-only.ts';
import { timestamp } from '../../wire/schema/scalars.ts';
import { givenPersonSchema, personReferenceSchema } from '../people/person.ts';

const authorSchema = z
  .strictObject({
    type: z
      .enum(['person', 'client'])
      .default('person')
      .describe('Whether the author is a person, or a machine client acting in its own name'),
    id: z.string().nullable().describe('Id of the person or the client; customers see null for a client'),
    email: personReferenceSchema.shape.email.describe(
      'E-mail address; customers see null if the author is staff',
    ),
    name: personReferenceSchema.shape.name,
  })
  .meta({ title: 'ReplyAuthor' });

/** Visibilities of a reply. An internal reply is a note between agents, hidden from customers. */
const replyVisibilities = ['public', 'internal'] as const;

const body = z
  .string()
  .min(1, { abort: true })
  .max(65_536)
  .meta({ pattern: '\\S', description: 'Text of the reply' })
  .refine((text) => /\S/.test(text), 'must not be blank');

/** A reply in every format. */
export const replySchema = z.strictObject({
  id: z.uuid().meta({ readOnly: true, description: 'Permanent id of the reply' }),
  ticket_id: z.uuid().meta({ readOnly: true, description: 'Id of the ticket that the reply belongs to' }),
  visibility: z.enum(replyVisibilities).meta({
    readOnly: true,
    description: 'Visibility: `public` for customers and staff, `internal` for staff only',
  }),
  author: authorSchema.meta({
    readOnly: true,
    description: 'Author, with name and address at the time of writing',
  }),
  incoming: z.boolean().meta({
    readOnly: true,
    description:
      'Whether the reply is from the customer side: from a person on the ticket, or from staff on their behalf',
  }),
  counts_as_reply: z.boolean().meta({
    readOnly: true,
    description:
      'Whether the reply counts as an answer to the customer: it clears `waiting_since` and may set `first_replied_at`',
  }),
  body,
  created_at: timestamp.meta({ readOnly: true, description: 'Time when the reply was created' }),
  ...versionShape,
});

/** Stored reply. */
export interface Reply extends Readonly<z.output<typeof replySchema>> {
  /** Whether the author wrote as a customer and is or was staff; customers do not see their address. Never sent. */
  readonly isAuthorMasked?: true;
}

/**
 * Returns the reply, with its author masked if it is from the customer's side and the author is one of these people.
 */
export function withMaskedAuthor(reply: Reply, staff: ReadonlySet<string>): Reply {
  const { author, incoming } = reply;
  const isMasked = incoming && author.type === 'person' && author.id !== null && staff.has(author.id);
  return isMasked ? Object.freeze({ ...reply, isAuthorMasked: true }) : reply;
}

/** Body of `POST /ticket/{id}/replies`, without the status of the ticket. */
export const writtenReplySchema = z.strictObject({
  visibility: z
    .enum(replyVisibilities)
    .default('public')
    .describe('Visibility: `public` for customers and staff, `internal` for staff only'),
  body,
  author: givenPersonSchema
    .optional()
    .describe('Person on whose behalf the reply is written; only staff may name another person'),
  counts_as_reply: z
    .boolean()
    .optional()
    .describe(
      'Whether the reply counts as an answer to the customer; public replies of staff only. Default: true for a person, false for a machine',
    ),
});
