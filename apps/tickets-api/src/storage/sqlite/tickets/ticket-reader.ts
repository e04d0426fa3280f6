import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketRecord } from '../../../helpdesk/commit/ticket-commit.ts';

const MAX_CACHED_TICKETS = 10_000;
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

/** Reads tickets, within `read` or `readOne`. */
export interface TicketReader {
  find(id: string): TicketRecord | undefined;
  /** Returns the tickets that exist, in the order of the ids. */
  findAll(ids: Iterable<string>): TicketRecord[];
  /** Reads the tickets of rows that the current snapshot has, in order. */
  readRows(seqs: readonly number[]): TicketRecord[];
  /** Drops a ticket from the cache. The writer calls it with each row that it changes or deletes. */
  forget(seq: number): void;
}

interface TicketRow {
  document: string;
  public_version: number;
  public_updated_at: number;
  external_id_client: string | null;
  staff_ids: string | null;
}

interface CachedTicket {
  record: TicketRecord;
  /** Value of `PRAGMA data_version` at which the record was current. */
  checkedAt: number;
}

/**
 * Creates a reader that caches parsed records, never older than the latest commit of any process. This process drops
 * what it changes. Commits of other processes change `data_version`; an earlier record is then compared with its row.
 */
export function createTicketReader({ prepare }: Sqlite): TicketReader {
  const dataVersion = prepare('PRAGMA data_version');
  const selectSeq = prepare('SELECT seq FROM tickets WHERE id = ?');
  const selectVersion = prepare('SELECT version FROM tickets WHERE seq = ?');
  for (const statement of [dataVersion, selectSeq, selectVersion]) statement.setReturnArrays(true);
  const select = prepare(
    'SELECT document, public_version, public_updated_at, external_id_client, staff_ids FROM tickets WHERE seq = ?',
  );
  /** Rows of cached tickets by id. */
  const rows = new Map<string, number>();
  const cache = new LRUCache<number, CachedTicket>({
    max: MAX_CACHED_TICKETS,
    maxSize: MAX_CACHED_CHARACTERS,
    dispose: ({ record }) => rows.delete(record.ticket.id),
  });

  function isCurrent({ record }: CachedTicket, seq: number): boolean {
    const [version] = (selectVersion.get(seq) ?? []) as unknown[];
    return version === record.ticket.version;
  }

  function load(seq: number, checkedAt: number): TicketRecord | undefined {
    const row = select.get(seq) as TicketRow | undefined;
    if (!row) {
      cache.delete(seq);
      return undefined;
    }
    const record = toRecord(row);
    cache.set(seq, { record, checkedAt }, { size: row.document.length });
    rows.set(record.ticket.id, seq);
    return record;
  }

  function readRow(seq: number, now: number): TicketRecord | undefined {
    const cached = cache.get(seq);
    if (!cached) return load(seq, now);
    if (cached.checkedAt !== now && !isCurrent(cached, seq)) return load(seq, now);
    cached.checkedAt = now;
    return cached.record;
  }

  function readId(id: string, now: number): TicketRecord | undefined {
    const cachedSeq = rows.get(id);
    const record = cachedSeq === undefined ? undefined : readRow(cachedSeq, now);
    if (record) return record;
    // After a purge by another process, the id may belong to a new row.
    const [seq] = (selectSeq.get(id) ?? []) as unknown as number[];
    return seq === undefined ? undefined : readRow(seq, now);
  }

  /** Returns a number that changes with each commit of another process. */
  function readDataVersion(): number {
    const [version] = dataVersion.get() as unknown as [number];
    return version;
  }

  const readDataVersionOfTurn = oncePerTurn(readDataVersion);

  return {
    find: (id) => readId(id, readDataVersionOfTurn()),
    findAll(ids) {
      const now = readDataVersion();
      return [...ids].flatMap((id) => readId(id, now) ?? []);
    },
    readRows(seqs) {
      const now = readDataVersion();
      return seqs.flatMap((seq) => readRow(seq, now) ?? []);
    },
    forget: (seq) => void cache.delete(seq),
  };
}

/**
 * Creates a function that reads once per turn of the event loop. Requests of one turn arrived before the turn began, so
 * the value is current for all of them.
 */
function oncePerTurn<T>(read: () => T): () => T {
  let current: { value: T } | undefined;
  return () => {
    if (current) return current.value;
    current = { value: read() };
    setImmediate(() => {
      current = undefined;
    });
    return current.value;
  };
}

function toRecord(row: TicketRow): TicketRecord {
  return deepFreeze({
    ticket: JSON.parse(row.document),
    publicVersion: row.public_version,
    publicUpdatedAt: new Date(row.public_updated_at).toISOString(),
    ...(row.external_id_client !== null && { externalIdClient: row.external_id_client }),
    ...(row.staff_ids !== null && { staffIds: JSON.parse(row.staff_ids) }),
  });
}
