import type { Logger } from 'pino';
import type { TicketWriter } from '../commit/ticket-writer.ts';
import { createReplacement } from '../definitions/replacement.ts';
import type { Masking } from '../people/masking.ts';
import type { MergedTickets } from '../people/merged-tickets.ts';
import type { Storage } from '../storage.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createTombstonePurge } from './purge-tombstones.ts';
import { createMergeFinisher, createReplacementResumer, createStaffMasking } from './unfinished-work.ts';

/** Days after which the jobs act; 0: never. */
export interface JobSettings {
  /** Days that a ticket stays solved before it closes. */
  closesAfterDays: number;
  /** Days that a deleted ticket can be restored. */
  purgesAfterDays: number;
  /** Retention period of tombstones in feeds. */
  retentionDays: number;
}

export interface JobsDeps extends JobSettings {
  storage: Pick<Storage, 'tickets' | 'changes' | 'people' | 'definitions'>;
  writer: TicketWriter;
  mergedTickets: MergedTickets;
  masking: Masking;
  log: Pick<Logger, 'error' | 'info'>;
  now: () => Date;
  newId: () => string;
}

/**
 * Creates the task that runs each periodic job once: interrupted replacements, closing and purging of tickets, expired
 * tombstones, merges of people, masking of staff. It may run in any number of processes on one database.
 *
 * @returns task that ends early when its signal is aborted
 */
export function createJobs(deps: JobsDeps): (signal: AbortSignal) => Promise<void> {
  const { storage, writer, log, now, newId, closesAfterDays, purgesAfterDays, retentionDays } = deps;
  const { tickets, people, changes, definitions: store } = storage;
  const replacement = createReplacement({ store, tickets, writer, now, newId });
  const resumeReplacements = createReplacementResumer({ store, replacement, log });
  const housekeeping = createHousekeeping({
    store: tickets,
    writer,
    now,
    log,
    closesAfterDays,
    purgesAfterDays,
  });
  const purgeTombstones = createTombstonePurge({ changes, now, log, retentionDays });
  const finishMerges = createMergeFinisher({ people, tickets: deps.mergedTickets, log });
  const maskStaff = createStaffMasking({ people, masking: deps.masking, log });

  return async function runJobs(signal) {
    await resumeReplacements();
    await housekeeping.run();
    await purgeTombstones();
    await finishMerges(signal);
    await maskStaff(signal);
  };
}
