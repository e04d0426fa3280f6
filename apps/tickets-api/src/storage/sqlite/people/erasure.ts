import type { Sqlite } from '@keydesk/storage/sqlite';
import type { ErasureStore } from '../../../helpdesk/erasure/erasure-store.ts';

export function createErasureStore({ prepare, read, write }: Sqlite): ErasureStore {
  const mentions = 'instr(lower(document), :email) OR instr(document, :personId)';
  const scan = prepare(`
    SELECT id, ${mentions}
      OR EXISTS (SELECT 1 FROM replies WHERE ticket_seq = tickets.seq AND (${mentions.replaceAll('document', 'replies.document')}))
      OR EXISTS (SELECT 1 FROM events WHERE ticket_seq = tickets.seq AND (${mentions.replaceAll('document', 'events.document')}))
      AS is_found
    FROM tickets WHERE id > :after ORDER BY id LIMIT :limit`);
  const rewriteEvent = prepare(`
    UPDATE events SET document = ? WHERE ticket_seq IS (SELECT seq FROM tickets WHERE id = ?) AND id = ?`);
  const removeRecords = prepare('DELETE FROM request_records WHERE instr(lower(answer), ?)');
  const optimizeWords = prepare("INSERT INTO ticket_words (ticket_words) VALUES ('optimize')");

  return {
    scan: async ({ email, personId = null }, { after, limit }) =>
      read(() => {
        const rows = scan.all({ email, personId, after, limit });
        const ticketIds = rows.filter(({ is_found }) => is_found).map(({ id }) => String(id));
        return { ticketIds, last: rows.length < limit ? undefined : String(rows.at(-1)?.id) };
      }),
    rewriteEvents: (ticketId, events) =>
      write(() => {
        for (const record of events) rewriteEvent.run(JSON.stringify(record), ticketId, record.event.id);
      }),
    removeRemains: (email) => write(() => void removeRecords.run(email)),
    async compact() {
      // The search index keeps deleted words until its segments are merged.
      await write(() => void optimizeWords.run());
      prepare('VACUUM').run();
      prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    },
  };
}
