import type { z } from 'zod';
import { type Body, createInputParser } from '../../wire/input/input.ts';
import { patchMembers } from '../../wire/input/merge-patch.ts';
import type { JsonObject } from '../../wire/schema/json-object.ts';
import { createReadOnly, withEtag } from '../../wire/schema/read-only.ts';
import { chosenId } from '../../wire/schema/scalars.ts';
import { definedId } from '../definitions/defined-id.ts';
import { type Reply, replySchema, writtenReplySchema } from './reply.ts';

/** Body of `POST /ticket/{id}/replies`. */
export const newReplySchema = writtenReplySchema.extend({
  id: chosenId,
  status: definedId('status').optional(),
});

export type NewReply = z.output<typeof newReplySchema>;

/** Body of `PUT`: the text, and read-only members with their current values. */
export const replyEditSchema = withEtag(replySchema)
  .extend({
    visibility: replySchema.shape.visibility.meta({
      readOnly: true,
      description: 'Visibility of the reply; set on creation and never changed',
    }),
  })
  .partial();

export type ReplyEdit = Readonly<z.output<typeof replyEditSchema>>;

/** Computes the requested text from the current reply. */
export type ToBody = (current: Reply) => string;

const readOnly = createReadOnly<Reply>({
  what: 'reply',
  immutable: ['id', 'ticket_id', 'visibility', 'author', 'incoming', 'counts_as_reply', 'created_at'],
  serverManaged: [],
});

/** Reads a new reply from a body. @throws {AppError} `validation_failed` with every fault */
export const parseNewReply = createInputParser(newReplySchema);

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export const parseReplyEdit: (body: Body) => ReplyEdit = createInputParser(replyEditSchema);

const parseContent = createInputParser(replySchema.pick({ body: true }));

/**
 * Returns the text that a `PUT` requests. The visibility of a reply never changes: an internal reply and its history
 * stay internal, and a public reply can only be hidden from customers by removing it.
 *
 * @throws {AppError} `precondition_failed` for an outdated copy, `validation_failed` for another read-only member
 */
export function toBody(current: Reply, edit: ReplyEdit): string {
  const written = readOnly.checkAndPick(current, edit);
  return typeof written.body === 'string' ? written.body : current.body;
}

/** Returns the text that a merge patch requests. @throws {AppError} as `toBody` */
export function toPatchedBody(current: Reply, patch: JsonObject): string {
  const written = readOnly.checkAndPick(current, patch);
  const value = patchMembers({ body: current.body }, written);
  return parseContent({ format: 'json', value }).body;
}
