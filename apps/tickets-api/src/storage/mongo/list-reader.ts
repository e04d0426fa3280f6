import type { Model } from 'mongoose';
import type { TicketPosition, TicketQuery } from '../../helpdesk/tickets/ticket-store.ts';
import { isServedByIndexes, type ListPart, toListPosition, toParts, type WalkResult } from '../list-plan.ts';
import { timePath } from './indexes.ts';
import { countSteps, countTickets, countTicketsBy, selectStep, selectTickets } from './select-tickets.ts';
import type { TicketDocument } from './ticket-document.ts';

/** Reads lists part by part. */
export interface ListReader {
  /** Reads a page; with `ids`, only of these tickets. */
  select(query: TicketQuery, ids?: readonly string[]): Promise<TicketDocument[]>;
  findStep(query: TicketQuery, steps: number): Promise<TicketPosition | undefined>;
  count(query: TicketQuery): Promise<number>;
  countBy(query: TicketQuery, field: 'assignee' | 'tag'): Promise<Map<string | null, number>>;
}

export function createListReader(tickets: Model<TicketDocument>): ListReader {
  async function walk(part: ListPart, steps: number): Promise<WalkResult> {
    const [document] = await selectStep(tickets, part, steps);
    if (!document) return { steps: await countSteps(tickets, part, steps) };
    const path = timePath(part.sort.field, part.reader) as 'created_at' | 'due_at' | 'reply_count';
    const value = document[path];
    return { step: { value: value instanceof Date ? value.toISOString() : value, id: document._id } };
  }

  return {
    async select(query, ids) {
      const documents: TicketDocument[] = [];
      for (const part of toParts(query)) {
        const limit = query.limit - documents.length;
        if (limit > 0) documents.push(...(await selectTickets(tickets, { ...part, limit }, ids)));
      }
      return documents;
    },
    async findStep(query, steps) {
      if (isServedByIndexes(query)) return undefined;
      let left = steps;
      for (const part of toParts(query)) {
        const walked = await walk(part, left);
        if ('step' in walked) return toListPosition(walked.step, part);
        left -= walked.steps;
      }
      return undefined;
    },
    async countBy(query, field) {
      const [part] = toParts(query);
      const groups = part ? await countTicketsBy(tickets, part, field) : [];
      return new Map(groups.map(({ _id, count }) => [_id ?? null, count]));
    },
    async count(query) {
      let count = 0;
      for (const part of toParts(query)) count += await countTickets(tickets, part);
      return Math.min(query.limit, count);
    },
  };
}
