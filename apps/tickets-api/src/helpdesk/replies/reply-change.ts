import type { EventDraft } from '../history/event-draft.ts';
import type { Reply } from './reply.ts';

/** Change of a reply: without `before` it is added, without `after` removed. */
export type ReplyChange =
  | { before?: undefined; after: Reply }
  | { before: Reply; after: Reply }
  | { before: Reply; after?: undefined };

/**
 * Returns the event of a change. Staff see the earlier text of an edited or removed reply. Customers see only that a
 * public reply was edited or removed, because they must not read the withdrawn text again.
 */
export function describeReplyChange({ before, after }: ReplyChange): EventDraft {
  const { id, visibility } = (after ?? before) as Reply;
  return {
    type: before === undefined ? 'reply.added' : after === undefined ? 'reply.removed' : 'reply.changed',
    reply_id: id,
    changes: before ? [{ field: 'body', from: before.body, to: after?.body ?? null }] : [],
    publicChanges: visibility === 'public' ? [] : undefined,
  };
}
