import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketRecord } from '../../helpdesk/commit/ticket-commit.ts';
import { deepFreeze } from '../deep-freeze.ts';

const MAX_CACHED_TICKETS = 10_000;
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

interface TicketRow {
  document: string;
  public_version: number;
  public_updated_at: number;
  external_id_client: string | null;
  staff_ids: string | null;
}

/** Reads the record in row `seq`, which is at `version` in the current snapshot. */
export type TicketReader = (seq: number, version: number) => TicketRecord;

/**
 * Creates a reader that caches parsed records. A cached record is only used for the version that the database has just returned,
 * so it is never older than the latest commit of any process.
 */
export function createTicketReader({ prepare }: Sqlite): TicketReader {
  const select = prepare(
    'SELECT document, public_version, public_updated_at, external_id_client, staff_ids FROM tickets WHERE seq = ?',
  );
  const cache = new LRUCache<number, TicketRecord>({
    max: MAX_CACHED_TICKETS,
    maxSize: MAX_CACHED_CHARACTERS,
  });
  return (seq, version) => {
    const cached = cache.get(seq);
    if (cached?.ticket.version === version) return cached;
    const row = select.get(seq) as unknown as TicketRow;
    const record: TicketRecord = deepFreeze({
      ticket: JSON.parse(row.document),
      publicVersion: row.public_version,
      publicUpdatedAt: new Date(row.public_updated_at).toISOString(),
      ...(row.external_id_client !== null && { externalIdClient: row.external_id_client }),
      ...(row.staff_ids !== null && { staffIds: JSON.parse(row.staff_ids) }),
    });
    cache.set(seq, record, { size: row.document.length });
    return record;
  };
}
