import type { Logger } from 'pino';
import type { Masking } from '../people/masking.ts';
import type { PersonStore } from '../people/person-store.ts';

export interface StaffMaskingDeps {
  people: Pick<PersonStore, 'listPendingMaskings'>;
  masking: Pick<Masking, 'maskAll'>;
  log: Pick<Logger, 'error' | 'info'>;
}

const BATCH = 100;

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
