import { AppError } from '@keydesk/errors';
import { isNamed, type Viewer } from '../people/viewer.ts';
import type { NewReply } from './edits.ts';
import type { Reply } from './reply.ts';

const MINUTE_MS = 60_000;

export interface EditWindow {
  now: Date;
  /** Minutes in which authors may edit and remove their replies. */
  editMinutes: number;
}

/** Whether the viewer can see a reply; internal replies are visible only to staff. */
export function canSeeReply({ isStaff }: Viewer, { visibility }: Reply): boolean {
  return isStaff || visibility === 'public';
}

const views = new WeakMap<Reply, Reply>();

/**
 * Returns the viewer's view of a reply. Customers see the names of staff without addresses, and no machines. A reply
 * has one view per audience, so that it is rendered once.
 */
export function toReplyView({ isStaff, person }: Viewer, reply: Reply): Reply {
  const { author, incoming, isAuthorMasked = false } = reply;
  const isOpen = incoming && (!isAuthorMasked || author.id === person?.id);
  if (isStaff || isOpen) return withoutMark(reply);
  const { id, name } = author;
  const isPerson = author.type === 'person';
  const shown = { ...author, id: isPerson ? id : null, email: null, name: isPerson ? name : null };
  const view = views.get(reply) ?? Object.freeze({ ...withoutMark(reply), author: shown });
  views.set(reply, view);
  return view;
}

function withoutMark(reply: Reply): Reply {
  if (!reply.isAuthorMasked) return reply;
  const { isAuthorMasked: _, ...shown } = reply;
  return shown;
}

/**
 * Rejects internal replies by customers, and replies in the name of other people.
 *
 * @throws {AppError} `forbidden`
 */
export function assertMayReply(viewer: Viewer, { visibility, author, counts_as_reply }: NewReply): void {
  if (viewer.isStaff) return;
  const refused = [
    ...(visibility === 'internal' ? ['visibility'] : []),
    ...(author !== undefined && !isNamed(viewer, author) ? ['author'] : []),
    ...(counts_as_reply === undefined ? [] : ['counts_as_reply']),
  ];
  if (refused.length === 0) return;
  const errors = refused.map((field) => ({
    field,
    code: 'forbidden',
    message: 'cannot be set by customers; omit it',
  }));
  throw new AppError('forbidden', 'Customers can only add public replies in their own name; see errors.', {
    errors,
  });
}

/**
 * Allows authors to edit and remove a reply for a limited time, and administrators at any time.
 *
 * @throws {AppError} `forbidden`
 */
export function assertMayEdit(
  { role, person }: Viewer,
  reply: Reply,
  { now, editMinutes }: EditWindow,
): void {
  if (role === 'admin') return;
  if (!person || reply.author.id !== person.id) {
    throw new AppError('forbidden', 'Only its author and administrators may change a reply.');
  }
  if (now.getTime() - Date.parse(reply.created_at) > editMinutes * MINUTE_MS) {
    throw new AppError(
      'forbidden',
      `A reply can be changed by its author for ${editMinutes} minutes; after that by administrators.`,
    );
  }
}
