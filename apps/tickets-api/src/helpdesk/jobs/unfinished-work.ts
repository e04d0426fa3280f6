import type { Logger } from 'pino';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Replacement } from '../definitions/replacement.ts';
import type { Masking } from '../people/masking.ts';
import type { MergedTickets } from '../people/merged-tickets.ts';
import type { PersonStore } from '../people/person-store.ts';
import { system } from '../people/viewer.ts';

/** Number of people per query. */
const BATCH = 100;

export interface MergeFinisherDeps {
  people: Pick<PersonStore, 'listPendingMerges'>;
  tickets: MergedTickets;
  log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Creates the task that finishes pending merges of people: of killed processes, of requests that ran out of time, and
 * of sign-ins. It may run in any number of processes on one database. Failures are logged and retried by the next run.
 *
 * @returns task that ends early when its signal is aborted
 */
export function createMergeFinisher({ people, tickets, log }: MergeFinisherDeps) {
  async function finishSome(signal: AbortSignal): Promise<void> {
    for (const tombstone of await people.listPendingMerges(BATCH)) {
      if (signal.aborted) return;
      const isFinished = await tickets.moveAll(tombstone, () => !signal.aborted);
      if (isFinished) log.info({ person: tombstone.person.id }, 'moved the tickets of a merged person');
    }
  }

  return async function finishMerges(signal: AbortSignal): Promise<void> {
    await finishSome(signal).catch((err) => log.error({ err }, 'could not finish merges of people'));
  };
}

export interface StaffMaskingDeps {
  people: Pick<PersonStore, 'listPendingMaskings'>;
  masking: Pick<Masking, 'maskAll'>;
  log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Creates the task that masks the addresses of people who became staff. It may run in any number of processes on one
 * database. Failures are logged and retried by the next run.
 *
 * @returns task that ends early when its signal is aborted
 */
export function createStaffMasking({ people, masking, log }: StaffMaskingDeps) {
  async function maskSome(signal: AbortSignal): Promise<void> {
    for (const record of await people.listPendingMaskings(BATCH)) {
      if (signal.aborted) return;
      const isMasked = await masking.maskAll(record, () => !signal.aborted);
      if (isMasked) log.info({ person: record.person.id }, 'addresses of a person of the staff were masked');
    }
  }

  return async function maskStaff(signal: AbortSignal): Promise<void> {
    await maskSome(signal).catch((err) => log.error({ err }, 'addresses of staff could not be masked'));
  };
}

export interface ReplacementResumerDeps {
  store: Pick<DefinitionStore, 'list'>;
  replacement: Pick<Replacement, 'carryOut'>;
  log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Creates the task that completes interrupted replacements of statuses, types and priorities. It may run in any number
 * of processes on one database. Failures are logged and retried by the next run.
 */
export function createReplacementResumer({
  store,
  replacement,
  log,
}: ReplacementResumerDeps): () => Promise<void> {
  async function resumeAll(): Promise<void> {
    for (const { kind, id, replaced_by } of await store.list()) {
      if (replaced_by === null) continue;
      await replacement.carryOut({ kind, id }, { by: system, isBounded: false });
      log.info({ kind, id, replaced_by }, 'completed a replacement');
    }
  }

  return async function resumeReplacements() {
    await resumeAll().catch((err) => log.error({ err }, 'could not complete a replacement'));
  };
}
