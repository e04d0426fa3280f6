import type { Sqlite, Statement } from '@keydesk/storage/sqlite';
import type { TagCount, TagQuery, TagSort, TagStore } from '../../../helpdesk/tags/tag-store.ts';

/** Counts tags, within one transaction. */
export interface TagCounter {
  /** Returns the tags that the ticket in a row counts for. */
  counted(seq: number): readonly string[];
  /** Updates the counts of the tags of a ticket. */
  recount(before: readonly string[], after: readonly string[]): void;
}

export function createTagCounter({ prepare }: Sqlite): TagCounter {
  const select = prepare('SELECT tag FROM ticket_tags WHERE seq = ? AND deleted_at IS NULL');
  const add = prepare(`
    INSERT INTO tag_counts (tag, count) VALUES (?, 1) ON CONFLICT (tag) DO UPDATE SET count = count + 1`);
  const subtract = prepare('UPDATE tag_counts SET count = count - 1 WHERE tag = ?');
  const removeUnused = prepare('DELETE FROM tag_counts WHERE tag = ? AND count = 0');
  return {
    counted: (seq) => select.all(seq).map(({ tag }) => String(tag)),
    recount(before, after) {
      for (const tag of after) if (!before.includes(tag)) add.run(tag);
      for (const tag of before.filter((each) => !after.includes(each))) {
        subtract.run(tag);
        removeUnused.run(tag);
      }
    },
  };
}

/** Sorts after every other character, so that it ends the range of a prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

const opposite = { asc: 'desc', desc: 'asc' } as const;

export function createTagStore({ prepare, read }: Sqlite): TagStore {
  const countAll = prepare('SELECT count(*) AS count FROM (SELECT 1 FROM tag_counts LIMIT ?)');
  const countByPrefix = prepare(
    'SELECT count(*) AS count FROM (SELECT 1 FROM tag_counts WHERE tag >= ? AND tag < ? LIMIT ?)',
  );
  return {
    list: async (query) =>
      read(() => {
        const { sql, values } = toTagStatement(query);
        const rows = prepare(sql).all(...values);
        return rows.map(({ tag, count }) => ({ name: String(tag), count: Number(count) }));
      }),
    count: async ({ prefix, limit }) =>
      read(() => {
        const row =
          prefix === undefined
            ? countAll.get(limit)
            : countByPrefix.get(prefix, prefix + LAST_CHARACTER, limit);
        return Number(row?.count);
      }),
  };
}

/** Creates the statement of a page. Without a prefix, and by name, it uses one index in order. */
export function toTagStatement({ prefix, sort, after, limit }: TagQuery): Statement {
  const { field, direction } = sort;
  const isByCount = field === 'count';
  const index = isByCount && prefix === undefined ? 'INDEXED BY tag_counts_by_count' : '';
  const order = isByCount ? `count ${direction}, tag ${opposite[direction]}` : `tag ${direction}`;
  const conditions = [
    ...(prefix === undefined
      ? []
      : [{ sql: 'tag >= ? AND tag < ?', values: [prefix, prefix + LAST_CHARACTER] }]),
    ...(after ? [isBehind(after, sort)] : []),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}` : '';
  return {
    sql: `SELECT tag, count FROM tag_counts ${index} ${where} ORDER BY ${order} LIMIT ?`,
    values: [...conditions.flatMap(({ values }) => values), limit],
  };
}

/** Returns the condition for tags after a position. The first comparison of the count bounds the index. */
function isBehind({ count, name }: TagCount, { field, direction }: TagSort): Statement {
  const [past, before] = direction === 'asc' ? ['>', '<'] : ['<', '>'];
  if (field === 'name') return { sql: `tag ${past} ?`, values: [name] };
  return { sql: `count ${past}= ? AND (count ${past} ? OR tag ${before} ?)`, values: [count, count, name] };
}
