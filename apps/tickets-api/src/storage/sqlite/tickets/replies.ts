import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { idInUse } from '../../../helpdesk/commit/idempotency.ts';
import type { Reply } from '../../../helpdesk/replies/reply.ts';
import type { ReplyStore } from '../../../helpdesk/replies/reply-store.ts';
import { createTicketParts } from '../commit/ticket-parts.ts';
import { createRetiredIds } from './retired-ids.ts';

/** Changes the replies of the ticket in row `seq`, within one transaction. */
export interface ReplyWriter {
  /** @throws {AppError} `id_in_use` when another reply, of any ticket, has the id of a new one */
  put(seq: number, replies: readonly Reply[]): void;
  remove(seq: number, ids: readonly string[]): void;
}

export function createReplyWriter(sqlite: Sqlite): ReplyWriter {
  const { prepare } = sqlite;
  const retired = createRetiredIds(sqlite);
  const insert = prepare(`
    INSERT INTO replies (ticket_seq, id, is_public, document) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const upsert = prepare(`
    INSERT INTO replies (ticket_seq, id, is_public, document) VALUES (?, ?, ?, ?)
    ON CONFLICT (ticket_seq, id) DO UPDATE SET is_public = excluded.is_public, document = excluded.document`);
  const remove = prepare('DELETE FROM replies WHERE ticket_seq = ? AND id = ?');
  return {
    put(seq, replies) {
      for (const reply of replies) {
        const row = [seq, reply.id, Number(reply.visibility === 'public'), JSON.stringify(reply)] as const;
        if (reply.version > 1) upsert.run(...row);
        else if (insert.run(...row).changes === 0) throw idInUse();
      }
    },
    remove(seq, ids) {
      for (const id of ids) {
        remove.run(seq, id);
        retired.retireReply(id);
      }
    },
  };
}

export function createReplyStore(sqlite: Sqlite): ReplyStore {
  const documents = createTicketParts(sqlite, 'replies');
  const select = sqlite.prepare(`
    SELECT document FROM replies WHERE ticket_seq = (SELECT seq FROM tickets WHERE id = ?) AND id = ?`);
  const selectByIds = sqlite.prepare(`
    SELECT document FROM json_each(?) AS wanted CROSS JOIN replies ON replies.id = wanted.value`);
  const selectNewest = { all: prepareNewest(''), public: prepareNewest('AND is_public = 1') };

  function prepareNewest(condition: string) {
    const index = condition === '' ? 'replies_in_order' : 'public_replies_in_order';
    return sqlite.prepare(`
      SELECT replies.document FROM json_each(:ids) AS wanted
      CROSS JOIN tickets ON tickets.id = wanted.value
      CROSS JOIN replies ON replies.seq IN (
        SELECT newest.seq FROM replies AS newest INDEXED BY ${index}
        WHERE newest.ticket_seq = tickets.seq ${condition}
        ORDER BY newest.created_at DESC, newest.id DESC LIMIT :limit)
      ORDER BY wanted.key, replies.created_at DESC, replies.id DESC`);
  }

  return {
    find: async (ticketId, id) =>
      sqlite.read(() => {
        const row = select.get(ticketId, id);
        return row && toReply(row);
      }),
    findAll: async (ids) =>
      sqlite.read(() => selectByIds.all(JSON.stringify([...new Set(ids)])).map(toReply)),
    listNewest: async ({ ticketIds, isPublicOnly, limit }) =>
      sqlite.read(() =>
        selectNewest[isPublicOnly ? 'public' : 'all']
          .all({ ids: JSON.stringify(ticketIds), limit })
          .map(toReply),
      ),
    list: async ({ after, ...query }) =>
      documents.list({ ...query, ...(after && { after: [after.created_at, after.id] }) }) as readonly Reply[],
    count: async (query) => documents.count(query),
  };
}

function toReply({ document }: Record<string, unknown>): Reply {
  return deepFreeze(JSON.parse(String(document)));
}
