import { AppError } from '@keydesk/server';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { BackgroundTasks } from './background-tasks.ts';

export interface DeferredTasksOptions {
  storage: { artifacts: Pick<ArtifactStore, 'upsert'> };
  mailer: Pick<Mailer, 'requireReady'>;
  background: Pick<BackgroundTasks, 'requireCapacity' | 'run'>;
}

/** Runs tasks after the response, once it has checked that they can succeed. */
export interface DeferredTasks {
  /** @throws {AppError} `unavailable` if the store or mail server is unavailable, or too many tasks are pending */
  requireReady(): Promise<void>;
  /**
   * Resolves before the task starts. Takes the same steps for every task, so that neither its result nor its duration
   * depends on whether an account exists.
   *
   * @throws {AppError} `unavailable` if the store or mail server is unavailable, or too many tasks are pending
   */
  run(task: () => Promise<void>): Promise<void>;
}

/** Larger than all that a task writes: an account, audit records and a token. */
const probe = {
  model: 'StorageProbe',
  key: 'probe',
  payload: new Uint8Array(16_384),
  // Already expired, so that a purge deletes it.
  expiresAt: new Date(0),
};

export function createDeferredTasks({ storage, mailer, background }: DeferredTasksOptions): DeferredTasks {
  async function requireReady(): Promise<void> {
    await storage.artifacts.upsert(probe);
    await mailer.requireReady().catch((cause: unknown) => {
      throw new AppError('unavailable', 'The mail server is temporarily unavailable; try again later.', {
        retryAfterSeconds: 30,
        cause,
      });
    });
    background.requireCapacity();
  }

  return {
    requireReady,
    async run(task) {
      await requireReady();
      background.run(task);
    },
  };
}
