import { hash } from 'node:crypto';
import { AppError } from '@keydesk/errors';
import { invalidParameter } from '../../wire/faults/validation-errors.ts';
import type { Viewer } from '../people/viewer.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import { rightNames } from '../roles/right.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import type { Change, Reader } from './change.ts';
import type { ChangeStore, FeedBounds } from './change-store.ts';
import { createItemReader, type ResumablePage } from './feed-item.ts';
import { decodePosition, encodePosition, type FeedPosition } from './feed-position.ts';

export interface ChangeFeedDeps {
  changes: Pick<ChangeStore, 'bounds' | 'list'>;
  tickets: Pick<TicketStore, 'findAll'>;
  replies: Pick<ReplyStore, 'findAll'>;
}

export interface FeedQuery {
  /** Position that a page returned, `now` for the end of the feed, or `undefined` for its beginning. */
  since?: string | undefined;
  /** Name of `since` in error texts. */
  field?: string | undefined;
  /** Maximum number of changes, at least 1. */
  limit: number;
  /** Resources whose changes are returned; `undefined`: all. */
  resources?: readonly Change['resource'][] | undefined;
}

/** Maximum number of changes that a page examines. */
export const MAX_CHANGES = 1_000;

/** Change feed of everything that a viewer can see. */
export interface ChangeFeed {
  /**
   * Reads the changes after a position. A client that reads on until `has_more` is false has missed no change, even
   * with concurrent writes.
   *
   * @throws {AppError} `validation_failed` for an invalid position of this feed; `position_expired` when tombstones after it
   * may have been purged
   */
  read(viewer: Viewer, query: FeedQuery): Promise<ResumablePage>;
}

/** Returns the feed of a viewer; `undefined` if nothing has been written for them. */
export function toReader({ isStaff, person }: Viewer): Reader | undefined {
  return isStaff ? 'staff' : person?.id;
}

export function createChangeFeed({ changes, tickets, replies }: ChangeFeedDeps): ChangeFeed {
  const readLines = createItemReader({ tickets, replies });

  async function locate(reader: Reader, { since, field = 'since' }: FeedQuery): Promise<FeedPosition> {
    const position = since === undefined || since === 'now' ? 'beginning' : decode(since, reader, field);
    if (position !== 'beginning') return position;
    const { last } = await changes.bounds(reader);
    return { after: since === 'now' ? last : 0, initialEnd: last };
  }

  return {
    async read(viewer, query) {
      const reader = toReader(viewer);
      const fields_tag = toFieldsTag(viewer);
      if (reader === undefined) return { ...readEmptyFeed(query), fields_tag };
      const position = await locate(reader, query);
      const limit = (query.resources ? MAX_CHANGES : query.limit) + 1;
      const found = await changes.list({ reader, after: position.after, limit });
      // Read after the changes, so that the bounds include tombstones purged before the changes were read.
      assertRetained(position, await changes.bounds(reader));
      const { read, passed } = selectChanges(found.slice(0, limit - 1), query);
      const positionAfter = (change: Change | undefined) =>
        encodePosition(reader, {
          after: change?.position ?? position.after,
          initialEnd: position.initialEnd,
        });
      return {
        changes: await readLines(viewer, read),
        position: positionAfter(passed.at(-1)),
        positionAfter: (i) => positionAfter(read[i]),
        has_more: found.length > passed.length,
        fields_tag,
      };
    },
  };
}

/** Returns a tag of the rights of the viewer, and of the definitions that they see. */
function toFieldsTag(viewer: Viewer): string {
  const rights = rightNames.filter((name) => viewer.rights[name]);
  return hash(
    'sha1',
    [viewer.fields.tagFor(viewer), viewer.definitions.tag, ...rights].join(' '),
    'base64url',
  );
}

/** Selects the changes of a page, and returns all changes that it has passed, selected or not. */
function selectChanges(found: readonly Change[], { limit, resources }: FeedQuery) {
  const isSelected = ({ resource }: Change) => resources?.includes(resource) ?? true;
  const read = found.filter(isSelected).slice(0, limit);
  const isFull = read.length === limit;
  return { read, passed: isFull ? found.slice(0, found.indexOf(read.at(-1) as Change) + 1) : found };
}

function readEmptyFeed({ since, field = 'since' }: FeedQuery): Omit<ResumablePage, 'fields_tag'> {
  if (since !== undefined && since !== 'now') decode(since, undefined, field);
  const beginning = () => encodePosition(undefined);
  return { changes: [], position: beginning(), positionAfter: beginning, has_more: false };
}

function decode(since: string, reader: Reader | undefined, field: string): FeedPosition | 'beginning' {
  const position = decodePosition(since, reader);
  if (position === undefined) {
    throw invalidParameter(field, 'must be a position returned to this caller, or now');
  }
  return position;
}

/** Rejects an expired position. One after the end of the feed belongs to a database before a restored backup. */
function assertRetained({ after, initialEnd }: FeedPosition, { last, purgedUpTo }: FeedBounds): void {
  if (purgedUpTo <= Math.max(after, initialEnd) && after <= last) return;
  throw expired();
}

function expired(): AppError {
  return new AppError(
    'position_expired',
    'This position has expired. Start over: read from the beginning to the end without a position, then delete local copies that were not returned.',
  );
}
