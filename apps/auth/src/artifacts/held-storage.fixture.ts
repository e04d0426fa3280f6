import type { Storage } from '../storage/storage.ts';
import type { Artifact } from './artifact-store.ts';

/** One write of a flow: its model, and the number of earlier writes of that model. */
export interface Write {
  model: string;
  after: number;
}

/** A storage that delays one write. */
export interface HeldStorage {
  storage: Storage;
  /** Resolves when the write has started; it waits until it is released. */
  hold(write: Write): Promise<{ release(): void }>;
}

export function createHeldStorage(storage: Storage): HeldStorage {
  const { artifacts } = storage;
  let held: (Write & { onWrite: (release: () => void) => void }) | undefined;

  async function pass({ model, payload }: Artifact): Promise<void> {
    // An empty session is the record of an ended one.
    if (held?.model !== model || payload.length === 0) return;
    held.after -= 1;
    if (held.after >= 0) return;
    const { onWrite } = held;
    held = undefined;
    await new Promise<void>((release) => onWrite(release));
  }

  return {
    storage: {
      ...storage,
      artifacts: {
        ...artifacts,
        async upsert(artifact) {
          await pass(artifact);
          return artifacts.upsert(artifact);
        },
        async redeem(key, at, exchange) {
          await pass({ ...exchange.issued, model: 'RotatedRefreshToken' });
          return artifacts.redeem(key, at, exchange);
        },
      },
    },
    hold: (write) =>
      new Promise((resolve) => {
        held = { ...write, onWrite: (release) => resolve({ release }) };
      }),
  };
}
