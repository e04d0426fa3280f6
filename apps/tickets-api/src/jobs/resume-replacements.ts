import type { Logger } from 'pino';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Replacement } from '../definitions/replacement.ts';
import { system } from '../people/viewer.ts';

export interface ResumptionDeps {
  store: Pick<DefinitionStore, 'list'>;
  replacement: Pick<Replacement, 'carryOut'>;
  log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Makes the task that completes the replacements of statuses, types and priorities which a request has begun. Any number of
 * processes may run it on one database. What fails is logged, and tried again by the next run.
 */
export function createResumption({ store, replacement, log }: ResumptionDeps): () => Promise<void> {
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
