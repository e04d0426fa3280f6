import type { Sqlite } from '@keydesk/storage/sqlite';
import { toIdKey } from '../../../helpdesk/commit/idempotency.ts';

/** Ids of purged tickets and replies, within one transaction. */
export interface RetiredIds {
  has(id: string): boolean;
  /** Retires the ids of a ticket and its replies before a purge. */
  retireTicket(seq: number, id: string): void;
  retireReply(id: string): void;
}

export function createRetiredIds({ prepare }: Sqlite): RetiredIds {
  const select = prepare('SELECT 1 FROM retired_ids WHERE id = ?');
  const insert = prepare('INSERT OR IGNORE INTO retired_ids (id) VALUES (?)');
  const insertReplies = prepare(
    'INSERT OR IGNORE INTO retired_ids (id) SELECT id FROM replies WHERE ticket_seq = ?',
  );
  const removeRecord = prepare('DELETE FROM request_records WHERE key = ?');
  return {
    has: (id) => select.get(id) !== undefined,
    retireTicket(seq, id) {
      insertReplies.run(seq);
      insert.run(id);
    },
    retireReply(id) {
      insert.run(id);
      removeRecord.run(toIdKey('reply', id));
    },
  };
}
