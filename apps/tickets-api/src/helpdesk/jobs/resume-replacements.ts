import type { Logger } from 'pino';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Replacement } from '../definitions/replacement.ts';
import { system } from '../people/viewer.ts';

export interface ReplacementResumerDeps {
  store: Pick<DefinitionStore, 'list'>;
  replacement: Pick<Replacement, 'carryOut'>;
  log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Creates the task that completes interrupted replacements of statuses, types and priorities. It may run in any number of
 * processes on one database. Failures are logged and retried by the next run.
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
