import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketRecord } from '../../helpdesk/commit/ticket-commit.ts';
import { deepFreeze } from '../deep-freeze.ts';

const REMEMBERED_TICKETS = 10_000;
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

interface TicketRow {
  document: string;
  public_version: number;
  public_updated_at: number;
  external_id_client: string | null;
  staff_ids: string | null;
}

/** The record in row `seq`, which is at `version` in the current snapshot. */
export type TicketReader = (seq: number, version: number) => TicketRecord;

/**
 * Reads records and remembers them decoded. A remembered record is used only at the version that the database has just
 * named, so it is never older than what any process has written.
 */
export function createTicketReader({ prepare }: Sqlite): TicketReader {
  const select = prepare(
    'SELECT document, public_version, public_updated_at, external_id_client, staff_ids FROM tickets WHERE seq = ?',
  );
  const remembered = new LRUCache<number, TicketRecord>({
    max: REMEMBERED_TICKETS,
    maxSize: REMEMBERED_CHARACTERS,
  });
  return (seq, version) => {
    const known = remembered.get(seq);
    if (known?.ticket.version === version) return known;
    const row = select.get(seq) as unknown as TicketRow;
    const record: TicketRecord = deepFreeze({
      ticket: JSON.parse(row.document),
      publicVersion: row.public_version,
      publicUpdatedAt: new Date(row.public_updated_at).toISOString(),
      ...(row.external_id_client !== null && { externalIdClient: row.external_id_client }),
      ...(row.staff_ids !== null && { staffIds: JSON.parse(row.staff_ids) }),
    });
    remembered.set(seq, record, { size: row.document.length });
    return record;
  };
}
