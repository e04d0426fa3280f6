import { z } from 'zod';
import { timestamp } from '../../wire/schema/scalars.ts';
import { givenPersonSchema, personReferenceSchema } from '../people/person.ts';

const authorSchema = z
  .strictObject({
    type: z
      .enum(['person', 'client'])
      .default('person')
      .describe('A person, or a machine client in its own name'),
    id: z.string().nullable().describe('Of the person or the client; for customers null for a client'),
    email: personReferenceSchema.shape.email.describe('Null for customers when the author is staff'),
    name: personReferenceSchema.shape.name,
  })
  .meta({ title: 'ReplyAuthor' });

/** Visibilities of a reply. An internal reply is a note between agents, hidden from customers. */
const replyVisibilities = ['public', 'internal'] as const;

const body = z
  .string()
  .min(1, { abort: true })
  .max(65_536)
  .meta({ pattern: '\\S', description: 'What was written' })
  .refine((text) => /\S/.test(text), 'must not be blank');

/** A reply in every format. */
export const replySchema = z.strictObject({
  id: z.uuid().meta({ readOnly: true, description: 'Identifies the reply; never changes' }),
  ticket_id: z.uuid().meta({ readOnly: true, description: 'The ticket that it belongs to' }),
  visibility: z.enum(replyVisibilities).meta({ readOnly: true, description: 'Whether customers see it' }),
  author: authorSchema.meta({ readOnly: true, description: 'Author, as they were when it was written' }),
  incoming: z.boolean().meta({
    readOnly: true,
    description: 'Whether it is from the customer: a person on the ticket, or staff on their behalf',
  }),
  counts_as_reply: z.boolean().meta({
    readOnly: true,
    description: 'Whether it answers the customer: it ends `waiting_since` and may be the first reply',
  }),
  body,
  created_at: timestamp.meta({ readOnly: true, description: 'When it was added' }),
  updated_at: timestamp.meta({ readOnly: true, description: 'When it was last changed' }),
  version: z.int().min(1).meta({ readOnly: true, description: 'Counts its changes from 1' }),
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
  visibility: z.enum(replyVisibilities).default('public').describe('Whether customers see it'),
  body,
  author: givenPersonSchema
    .optional()
    .describe('On whose behalf it is written; only staff may name another person'),
  counts_as_reply: z
    .boolean()
    .optional()
    .describe('For staff, of a public reply: by default true for a person and false for a machine'),
});
