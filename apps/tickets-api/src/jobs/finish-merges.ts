import type { Logger } from 'pino';
import type { MergedTickets } from '../people/merged-tickets.ts';
import type { PersonStore } from '../people/person-store.ts';

export interface MergeFinishingDeps {
  people: Pick<PersonStore, 'listPendingMerges'>;
  tickets: MergedTickets;
  log: Pick<Logger, 'error' | 'info'>;
}

const BATCH = 100;

/**
 * Makes the task that finishes merges of people: those that a killed process left behind, those that came to no end within
 * their request, and those of a sign-in. Any number of processes may run it on one database. What fails is logged, and
 * tried again by the next run.
 *
 * @returns a task that ends early when its signal is aborted
 */
export function createMergeFinishing({ people, tickets, log }: MergeFinishingDeps) {
  async function finishSome(signal: AbortSignal): Promise<void> {
    for (const tombstone of await people.listPendingMerges(BATCH)) {
      if (signal.aborted) return;
      const isFinished = await tickets.moveAll(tombstone, () => !signal.aborted);
      if (isFinished) log.info({ person: tombstone.person.id }, 'the tickets of a merged person were moved');
    }
  }

  return async function finishMerges(signal: AbortSignal): Promise<void> {
    await finishSome(signal).catch((err) => log.error({ err }, 'merges of people could not be finished'));
  };
}
