import type { Logger } from 'pino';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { TicketWriter } from '../commit/ticket-writer.ts';
import { system } from '../people/viewer.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { moveToBuiltIn } from '../tickets/workflow.ts';

export interface HousekeepingDeps {
  store: Pick<TicketStore, 'find' | 'listDue'>;
  writer: TicketWriter;
  now: () => Date;
  log: Pick<Logger, 'error' | 'info'>;
  /** Days that a ticket stays solved before it closes; 0: forever. */
  closesAfterDays: number;
  /** Days that a deleted ticket can be restored; 0: forever. */
  purgesAfterDays: number;
}

/** Automatic closing and purging of tickets. It may run in any number of processes on one database. */
export interface Housekeeping {
  /** Processes all tickets that are due. Failures are logged and retried by the next run. */
  run(): Promise<void>;
}

/** Rule that changes tickets some days after they were solved or deleted. */
interface Rule {
  what: 'deleted' | 'solved';
  afterDays: number;
  /** Returns the ticket after the change; `undefined` purges it. */
  toAfter(ticket: Ticket, now: Date): Ticket | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 100;

export function createHousekeeping(deps: HousekeepingDeps): Housekeeping {
  const { store, writer, now, log } = deps;
  const rules: readonly Rule[] = [
    {
      what: 'solved',
      afterDays: deps.closesAfterDays,
      toAfter: (ticket, at) => moveToBuiltIn(ticket, 'closed', at),
    },
    { what: 'deleted', afterDays: deps.purgesAfterDays, toAfter: () => undefined },
  ];

  /** Changes one ticket, unless another process or a user has changed it so that it is no longer due. */
  async function apply(id: string, rule: Rule, before: Date): Promise<boolean> {
    const { hasChanged } = await writer.commitPlan([id], async (at) => {
      const record = await store.find(id);
      const changes = record && isDue(record, rule, before) ? [toChange(record, rule, at)] : [];
      return { changes, by: system, toAnswer: () => null };
    });
    return hasChanged;
  }

  /** Changes a batch of tickets; returns their number and whether there may be more. */
  async function applyToBatch(rule: Rule, before: Date): Promise<{ count: number; hasMore: boolean }> {
    const due = await store.listDue(rule.what, before, BATCH);
    let count = 0;
    for (const { ticket } of due) if (await apply(ticket.id, rule, before)) count++;
    return { count, hasMore: due.length === BATCH && count > 0 };
  }

  async function applyToAll(rule: Rule): Promise<void> {
    const before = new Date(now().getTime() - rule.afterDays * DAY_MS);
    let batch: Awaited<ReturnType<typeof applyToBatch>>;
    do {
      batch = await applyToBatch(rule, before);
      if (batch.count > 0) log.info({ count: batch.count, what: rule.what }, 'processed due tickets');
    } while (batch.hasMore);
  }

  return {
    async run() {
      for (const rule of rules.filter(({ afterDays }) => afterDays > 0)) {
        await applyToAll(rule).catch((err) =>
          log.error({ err, what: rule.what }, 'could not process due tickets'),
        );
      }
    },
  };
}

function toChange(before: TicketRecord, { toAfter }: Rule, now: Date) {
  return { before, after: toAfter(before.ticket, now) };
}

function isDue({ ticket }: TicketRecord, { what }: Rule, before: Date): boolean {
  const since = what === 'deleted' ? ticket.deleted_at : ticket.deleted_at === null ? ticket.solved_at : null;
  const isThere = what === 'deleted' || ticket.status_category === 'solved';
  return isThere && since !== null && since < before.toISOString();
}
