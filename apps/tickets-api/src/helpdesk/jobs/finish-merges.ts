import type { Logger } from 'pino';
import type { MergedTickets } from '../people/merged-tickets.ts';
import type { PersonStore } from '../people/person-store.ts';

export interface MergeFinisherDeps {
  people: Pick<PersonStore, 'listPendingMerges'>;
  tickets: MergedTickets;
  log: Pick<Logger, 'error' | 'info'>;
}

const BATCH = 100;

/**
 * Creates the task that finishes pending merges of people: of killed processes, of requests that ran out of time, and of
 * sign-ins. It may run in any number of processes on one database. Failures are logged and retried by the next run.
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
