import type { Sqlite } from '@keydesk/storage/sqlite';
import type { TagStore } from '../../tickets/tag-store.ts';

/** Counts tags, inside one transaction. */
export interface TagCounter {
  /** The tags for which the ticket in a row counts by now. */
  counted(seq: number): readonly string[];
  /** Counts a ticket for other tags than before. */
  recount(before: readonly string[], after: readonly string[]): void;
}

export function createTagCounter({ prepare }: Sqlite): TagCounter {
  const select = prepare('SELECT tag FROM ticket_tags WHERE seq = ? AND deleted_at IS NULL');
  const add = prepare(`
    INSERT INTO tag_counts (tag, count) VALUES (?, 1) ON CONFLICT (tag) DO UPDATE SET count = count + 1`);
  const subtract = prepare('UPDATE tag_counts SET count = count - 1 WHERE tag = ?');
  const forget = prepare('DELETE FROM tag_counts WHERE tag = ? AND count = 0');
  return {
    counted: (seq) => select.all(seq).map(({ tag }) => String(tag)),
    recount(before, after) {
      for (const tag of after) if (!before.includes(tag)) add.run(tag);
      for (const tag of before.filter((each) => !after.includes(each))) {
        subtract.run(tag);
        forget.run(tag);
      }
    },
  };
}

/** Comes behind every continuation of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

export function createTagStore({ prepare, read }: Sqlite): TagStore {
  const behind = 'count <= :count AND (count < :count OR tag > :tag)';
  const order = 'ORDER BY count DESC, tag LIMIT :limit';
  const selectAll = prepare(
    `SELECT tag, count FROM tag_counts INDEXED BY tag_counts_by_count WHERE ${behind} ${order}`,
  );
  const selectByPrefix = prepare(
    `SELECT tag, count FROM tag_counts WHERE tag >= :from AND tag < :to AND ${behind} ${order}`,
  );
  return {
    list: async ({ prefix, after, limit }) =>
      read(() => {
        const place = { count: after?.count ?? Number.MAX_SAFE_INTEGER, tag: after?.name ?? '', limit };
        const rows =
          prefix === undefined
            ? selectAll.all(place)
            : selectByPrefix.all({ ...place, from: prefix, to: prefix + LAST_CHARACTER });
        return rows.map(({ tag, count }) => ({ name: String(tag), count: Number(count) }));
      }),
  };
}
