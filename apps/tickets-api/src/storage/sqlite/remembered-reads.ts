import type { Sqlite } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketRecord } from '../../tickets/ticket-commit.ts';

/** Sizes are in characters, about. */
export interface RememberedReadsOptions<Asked, Answer> {
  maxSize: number;
  toKey(asked: Asked): string;
  sizeOf(answer: Answer): number;
}

/**
 * Remembers what was read. An answer is given again only while the database is in the state that it was read in, so it
 * is never older than what any process has written; and it is the same object, so what was made of it may be
 * remembered too.
 */
export function rememberReads<Asked, Answer extends object>(
  { state, read }: Pick<Sqlite, 'state' | 'read'>,
  query: (asked: Asked) => Answer | undefined,
  { maxSize, toKey, sizeOf }: RememberedReadsOptions<Asked, Answer>,
): (asked: Asked) => Answer | undefined {
  const remembered = new LRUCache<string, { answer: Answer; state: number }>({ maxSize });
  return (asked) => {
    const key = toKey(asked);
    // Told before the read: what is read later may be newer than its state, never older.
    const current = state();
    const known = remembered.get(key);
    if (known?.state === current) return known.answer;
    const answer = read(() => query(asked));
    if (answer) remembered.set(key, { answer, state: current }, { size: sizeOf(answer) });
    return answer;
  };
}

const SHORT_FIELDS = 1_000;

export function sizeOfRecord({ ticket }: TicketRecord): number {
  return ticket.description.length + SHORT_FIELDS;
}

export function sizeOfRecords(records: readonly TicketRecord[]): number {
  return records.reduce((sum, record) => sum + sizeOfRecord(record), 1);
}
