import { AppError } from '@keydesk/http';
import type { Mailer } from '../mail/mailer.ts';
import type { ArtifactStore } from '../provider/artifact-store.ts';
import type { Background } from './background.ts';

export interface DeliveryOptions {
  storage: { artifacts: Pick<ArtifactStore, 'upsert'> };
  mailer: Pick<Mailer, 'requireReady'>;
  background: Pick<Background, 'requireRoom' | 'run'>;
}

/** Work that begins when its request has been answered, and that was shown before to be possible. */
export interface Delivery {
  /** @throws {AppError} `unavailable` when nothing can be stored, no mail sent or no more work taken on */
  requireReady(): Promise<void>;
  /**
   * Resolves before the task begins. It does the same whatever the task is about, so that neither its outcome nor its
   * time depends on whether an account exists.
   *
   * @throws {AppError} `unavailable` when nothing can be stored, no mail sent or no more work taken on
   */
  begin(task: () => Promise<void>): Promise<void>;
}

/** More than the work itself stores: an account, records of the audit log and a token. */
const probe = {
  model: 'StorageProbe',
  key: 'probe',
  payload: new Uint8Array(16_384),
  // Always expired, so that a purge deletes it.
  expiresAt: new Date(0),
};

export function createDelivery({ storage, mailer, background }: DeliveryOptions): Delivery {
  async function requireReady(): Promise<void> {
    await storage.artifacts.upsert(probe);
    await mailer.requireReady().catch((cause: unknown) => {
      throw new AppError('unavailable', 'No mail can be sent right now; try again later.', {
        headers: { 'Retry-After': '30' },
        cause,
      });
    });
    background.requireRoom();
  }

  return {
    requireReady,
    async begin(task) {
      await requireReady();
      background.run(task);
    },
  };
}
