import type { Logger } from 'pino';
import { system } from '../people/viewer.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketRecord } from '../tickets/ticket-commit.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import type { TicketWriter } from '../tickets/ticket-writer.ts';
import { moveToBuiltIn } from '../tickets/workflow.ts';

export interface HousekeepingDeps {
  store: Pick<TicketStore, 'find' | 'listDue'>;
  writer: TicketWriter;
  now: () => Date;
  log: Pick<Logger, 'error' | 'info'>;
  /** How long a ticket stays solved before it closes; 0: for ever. */
  closesAfterDays: number;
  /** How long a deleted ticket can be restored; 0: for ever. */
  purgesAfterDays: number;
}

/** What the helpdesk does to tickets by itself. Any number of processes may run it on one database. */
export interface Housekeeping {
  /** Does all that is due now. What fails is logged, and tried again by the next run. */
  run(): Promise<void>;
}

/** What is due to a ticket since a time; `undefined`: nothing, or no longer. */
interface Duty {
  what: 'deleted' | 'solved';
  afterDays: number;
  toAfter(ticket: Ticket, now: Date): Ticket | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 100;

export function createHousekeeping(deps: HousekeepingDeps): Housekeeping {
  const { store, writer, now, log } = deps;
  const duties: readonly Duty[] = [
    {
      what: 'solved',
      afterDays: deps.closesAfterDays,
      toAfter: (ticket, at) => moveToBuiltIn(ticket, 'closed', at),
    },
    { what: 'deleted', afterDays: deps.purgesAfterDays, toAfter: () => undefined },
  ];

  /** Another process, or a person, may have come first: then there is nothing to do any more. */
  async function settle(id: string, duty: Duty, before: Date): Promise<boolean> {
    const { hasChanged } = await writer.settle([id], async (at) => {
      const record = await store.find(id);
      const deeds = record && isDue(record, duty, before) ? [toDeed(record, duty, at)] : [];
      return { deeds, by: system, toAnswer: () => null };
    });
    return hasChanged;
  }

  /** Resolves with how many it settled, and whether there may be more. */
  async function settleSome(duty: Duty, before: Date): Promise<{ count: number; hasMore: boolean }> {
    const due = await store.listDue(duty.what, before, BATCH);
    let count = 0;
    for (const { ticket } of due) if (await settle(ticket.id, duty, before)) count++;
    return { count, hasMore: due.length === BATCH && count > 0 };
  }

  async function fulfil(duty: Duty): Promise<void> {
    const before = new Date(now().getTime() - duty.afterDays * DAY_MS);
    let some: Awaited<ReturnType<typeof settleSome>>;
    do {
      some = await settleSome(duty, before);
      if (some.count > 0) log.info({ count: some.count, what: duty.what }, 'tickets were due');
    } while (some.hasMore);
  }

  return {
    async run() {
      for (const duty of duties.filter(({ afterDays }) => afterDays > 0)) {
        await fulfil(duty).catch((err) =>
          log.error({ err, what: duty.what }, 'what is due could not be done'),
        );
      }
    },
  };
}

function toDeed(before: TicketRecord, { toAfter }: Duty, now: Date) {
  return { before, after: toAfter(before.ticket, now) };
}

function isDue({ ticket }: TicketRecord, { what }: Duty, before: Date): boolean {
  const since = what === 'deleted' ? ticket.deleted_at : ticket.deleted_at === null ? ticket.solved_at : null;
  const isThere = what === 'deleted' || ticket.status_category === 'solved';
  return isThere && since !== null && since < before.toISOString();
}
