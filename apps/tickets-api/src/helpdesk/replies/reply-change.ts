import type { Told } from '../history/told.ts';
import type { Reply } from './reply.ts';

/** A reply that is added (no `before`), changed, or removed (no `after`). */
export type ReplyChange =
  | { before?: undefined; after: Reply }
  | { before: Reply; after: Reply }
  | { before: Reply; after?: undefined };

/**
 * What history tells of it. Staff find what was written before an edit or removal; customers are told that a public
 * reply was edited or removed, for they are not to read again what was taken back.
 */
export function describeReplyChange({ before, after }: ReplyChange): Told {
  const { id, visibility } = (after ?? before) as Reply;
  return {
    type: before === undefined ? 'reply.added' : after === undefined ? 'reply.removed' : 'reply.changed',
    reply_id: id,
    changes: before ? [{ field: 'body', from: before.body, to: after?.body ?? null }] : [],
    publicChanges: visibility === 'public' ? [] : undefined,
  };
}
