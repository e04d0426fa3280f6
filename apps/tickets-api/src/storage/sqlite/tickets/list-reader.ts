import type { StatementSync } from 'node:sqlite';
import type { Sqlite, Statement } from '@keydesk/storage/sqlite';
import { LRUCache } from 'lru-cache';
import type { TicketPosition, TicketQuery, ValueSort } from '../../../helpdesk/tickets/ticket-store.ts';
import { type ListPart, toListPosition, toParts, type WalkResult } from '../../list-plan.ts';
import { toCount, toCountBy, toListStatement, toStepCount, toStepStatement } from './list-statement.ts';
import type { TextReader } from './texts.ts';

const MAX_CACHED_STATEMENTS = 200;

/** Reads lists, within `read`. */
export interface ListReader {
  /** Selects the rows of the tickets of a page, in order; returns their `seq`. */
  select(query: TicketQuery): number[];
  /** Finds the position after a number of steps in a list not served by an index alone. */
  findStep(query: TicketQuery, steps: number): TicketPosition | undefined;
  count(query: TicketQuery): number;
  countBy(query: TicketQuery, field: 'assignee' | 'tag'): Map<string | null, number>;
}

export function createListReader({ prepare }: Sqlite, texts: Pick<TextReader, 'isLedByWords'>): ListReader {
  const statements = new LRUCache<string, StatementSync>({ max: MAX_CACHED_STATEMENTS });

  function run({ sql, values }: Statement): unknown[][] {
    const statement = statements.get(sql) ?? prepare(sql);
    statement.setReturnArrays(true);
    statements.set(sql, statement);
    return statement.all(...values) as unknown as unknown[][];
  }

  function toList(part: ListPart): Statement {
    return toListStatement(part, { isLedByWords: texts.isLedByWords(part) });
  }

  function walk(part: ListPart, steps: number): WalkResult {
    const [step] = run(toStepStatement(part, steps));
    if (!step) return { steps: Number(run(toStepCount(part, steps))[0]?.[0]) };
    return { step: { value: toValue(part.sort.field, step[0]), id: String(step[1]) } };
  }

  return {
    select(query) {
      const seqs: number[] = [];
      for (const part of toParts(query)) {
        const missing = query.limit - seqs.length;
        if (missing > 0) seqs.push(...run(toList({ ...part, limit: missing })).map(([seq]) => Number(seq)));
      }
      return seqs;
    },
    findStep(query, steps) {
      if (texts.isLedByWords(query)) return undefined;
      let left = steps;
      for (const part of toParts(query)) {
        const walked = walk(part, left);
        if ('step' in walked) return toListPosition(walked.step, part);
        left -= walked.steps;
      }
      return undefined;
    },
    countBy(query, field) {
      const [part] = toParts(query);
      const rows = part ? run(toCountBy(toList(part), field)) : [];
      return new Map(rows as [string | null, number][]);
    },
    count(query) {
      const counts = toParts(query).map((part) => Number(run(toCount(toList(part)))[0]?.[0]));
      return Math.min(
        query.limit,
        counts.reduce((sum, count) => sum + count, 0),
      );
    },
  };
}

function toValue(field: ValueSort['field'], value: unknown): TicketPosition['value'] {
  const isTime = typeof value === 'number' && field !== 'reply_count';
  return isTime ? new Date(value).toISOString() : (value as TicketPosition['value']);
}
