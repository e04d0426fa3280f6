import type { Sqlite } from '@keydesk/storage/sqlite';
import type { Change, FeedEntry } from '../../../helpdesk/feed/change.ts';
import { type ChangeStore, RESTART_GAP } from '../../../helpdesk/feed/change-store.ts';

/** Appends entries to the feeds of their readers, within one transaction. */
export type FeedWriter = (feedEntries: readonly FeedEntry[]) => void;

export function createFeedWriter({ prepare }: Sqlite, { now }: { now: () => Date }): FeedWriter {
  const reserve = prepare(`
    INSERT INTO change_feeds (reader, last) VALUES (?, ?) ON CONFLICT (reader) DO UPDATE SET last = last + excluded.last
    RETURNING last`);
  const put = prepare(`
    INSERT OR REPLACE INTO changes (reader, position, resource, id, ticket_id, is_gone, at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  return (feedEntries) => {
    const at = now().getTime();
    for (const [reader, seen] of Map.groupBy(feedEntries, (entry) => entry.reader)) {
      const before = Number(reserve.get(reader, seen.length)?.last) - seen.length;
      for (const [i, { resource, id, ticketId, isDeleted }] of seen.entries()) {
        put.run(reader, before + i + 1, resource, id, ticketId, Number(isDeleted), at);
      }
    }
  };
}

/** Moves the end of every feed ahead, within one transaction. */
export function restartFeeds({ prepare }: Sqlite): void {
  prepare(`UPDATE change_feeds SET last = last + ${RESTART_GAP}, forgotten = last + ${RESTART_GAP}`).run();
}

export function createChangeStore(sqlite: Sqlite): ChangeStore {
  const { prepare, readOne, write } = sqlite;
  const selectBehind = prepare(`
    SELECT position, resource, id, ticket_id, is_gone, at FROM changes
    WHERE reader = ? AND position > ? ORDER BY position LIMIT ?`);
  selectBehind.setReturnArrays(true);
  const selectBounds = prepare('SELECT last, forgotten FROM change_feeds WHERE reader = ?');
  const selectTombstones = prepare(
    'SELECT reader, position FROM changes WHERE is_gone = 1 AND at < ? ORDER BY at LIMIT ?',
  );
  const remove = prepare('DELETE FROM changes WHERE reader = ? AND position = ?');
  const raise = prepare('UPDATE change_feeds SET forgotten = max(forgotten, ?) WHERE reader = ?');

  const renewEpoch = prepare('UPDATE database_epoch SET epoch = lower(hex(randomblob(5)))');
  const selectEpoch = prepare('SELECT epoch FROM database_epoch');

  return {
    list: async ({ reader, after, limit }) =>
      readOne(() =>
        (selectBehind.all(reader, after, limit) as unknown as Row[]).map((row) => toChange(reader, row)),
      ),
    bounds: async (reader) =>
      readOne(() => {
        const row = selectBounds.get(reader);
        return { last: Number(row?.last ?? 0), purgedUpTo: Number(row?.forgotten ?? 0) };
      }),
    purgeTombstones: (before, limit) =>
      write(() => {
        const gone = selectTombstones.all(before.getTime(), limit);
        for (const { reader, position } of gone) {
          remove.run(String(reader), Number(position));
          raise.run(Number(position), String(reader));
        }
        return gone.length;
      }),
    restart: () =>
      write(() => {
        renewEpoch.run();
        restartFeeds(sqlite);
      }),
    epoch: async () => readOne(() => String(selectEpoch.get()?.epoch)),
  };
}

type Row = [
  position: number,
  resource: Change['resource'],
  id: string,
  ticketId: string,
  isDeleted: number,
  at: number,
];

function toChange(reader: Change['reader'], [position, resource, id, ticketId, isDeleted, at]: Row): Change {
  return {
    reader,
    position,
    resource,
    id,
    ticketId,
    isDeleted: isDeleted === 1,
    at: new Date(at).toISOString(),
  };
}
