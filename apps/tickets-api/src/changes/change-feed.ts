import { hash } from 'node:crypto';
import { AppError } from '@keydesk/http';
import { invalidParameter } from '../http/query-parameters.ts';
import type { Viewer } from '../people/viewer.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import type { Change, Reader } from './change.ts';
import type { ChangeStore, FeedBounds } from './change-store.ts';
import type { DividedPage } from './feed-page.ts';
import { createLineReader } from './line-reader.ts';
import { decodePosition, encodePosition, type Position } from './position.ts';

export interface ChangeFeedDeps {
  changes: Pick<ChangeStore, 'bounds' | 'list'>;
  tickets: Pick<TicketStore, 'findAll'>;
  replies: Pick<ReplyStore, 'findAll'>;
}

export interface FeedQuery {
  /** A position that was handed out, `now` for the end of the feed, `undefined` for its beginning. */
  since?: string | undefined;
  /** What the request calls it. */
  field?: string | undefined;
  /** At least 1. */
  limit: number;
  /** Only changes of these; `undefined`: of all. */
  resources?: readonly Change['resource'][] | undefined;
}

/** The most changes that a page looks at. */
export const MAX_CHANGES = 1_000;

/** What changes of what a viewer sees. */
export interface ChangeFeed {
  /**
   * What changed behind a position. Whoever reads on until `has_more` is false has missed nothing, whoever writes
   * meanwhile.
   *
   * @throws {AppError} `validation_failed` for what is no position in this feed; `position_expired` when what followed
   * it may have been forgotten
   */
  read(viewer: Viewer, query: FeedQuery): Promise<DividedPage>;
}

/** The feed that a viewer reads; `undefined`: nothing was ever written by or for them. */
export function feedOf({ isStaff, person }: Viewer): Reader | undefined {
  return isStaff ? 'staff' : person?.id;
}

export function createChangeFeed({ changes, tickets, replies }: ChangeFeedDeps): ChangeFeed {
  const readLines = createLineReader({ tickets, replies });

  async function locate(reader: Reader, { since, field = 'since' }: FeedQuery): Promise<Position> {
    const position = since === undefined || since === 'now' ? 'beginning' : decode(since, reader, field);
    if (position !== 'beginning') return position;
    const { last } = await changes.bounds(reader);
    return { after: since === 'now' ? last : 0, begun: last };
  }

  return {
    async read(viewer, query) {
      const reader = feedOf(viewer);
      const fields_tag = toFieldsTag(viewer);
      if (reader === undefined) return { ...readNothing(query), fields_tag };
      const position = await locate(reader, query);
      const limit = (query.resources ? MAX_CHANGES : query.limit) + 1;
      const found = await changes.list({ reader, after: position.after, limit });
      // Read after the changes: those that were forgotten before them are known by now.
      assertKept(position, await changes.bounds(reader));
      const { read, passed } = takeWanted(found.slice(0, limit - 1), query);
      const positionBehind = (change: Change | undefined) =>
        encodePosition(reader, { after: change?.position ?? position.after, begun: position.begun });
      return {
        changes: await readLines(viewer, read),
        position: positionBehind(passed.at(-1)),
        positionBehind: (i) => positionBehind(read[i]),
        has_more: found.length > passed.length,
        fields_tag,
      };
    },
  };
}

/** The same as long as the viewer sees the same definitions: of custom fields, statuses, types and priorities. */
function toFieldsTag(viewer: Viewer): string {
  return hash('sha1', `${viewer.fields.tagFor(viewer)} ${viewer.definitions.tag}`, 'base64url');
}

/** The changes of a page, and all that it has passed, whether they were asked for or not. */
function takeWanted(found: readonly Change[], { limit, resources }: FeedQuery) {
  const isWanted = ({ resource }: Change) => resources?.includes(resource) ?? true;
  const read = found.filter(isWanted).slice(0, limit);
  const isFull = read.length === limit;
  return { read, passed: isFull ? found.slice(0, found.indexOf(read.at(-1) as Change) + 1) : found };
}

function readNothing({ since, field = 'since' }: FeedQuery): Omit<DividedPage, 'fields_tag'> {
  if (since !== undefined && since !== 'now') decode(since, undefined, field);
  const beginning = () => encodePosition(undefined);
  return { changes: [], position: beginning(), positionBehind: beginning, has_more: false };
}

function decode(since: string, reader: Reader | undefined, field: string): Position | 'beginning' {
  const position = decodePosition(since, reader);
  if (position === undefined) {
    throw invalidParameter(field, 'must be a position that this caller was given, or now');
  }
  if (position === 'earlier') throw expired();
  return position;
}

/** A position behind the end is of a database that there is no longer. */
function assertKept({ after, begun }: Position, { last, forgotten }: FeedBounds): void {
  if (forgotten <= Math.max(after, begun) && after <= last) return;
  throw expired();
}

function expired(): AppError {
  return new AppError(
    'position_expired',
    'What followed this position is no longer known. Start over: ask without a position, read to the end, and forget what did not come.',
  );
}
