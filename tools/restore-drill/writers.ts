import { poll } from '../rolling-restart/poll.ts';
import type { Clients } from './clients.ts';

/** An acknowledged write, and when the request was sent and answered (milliseconds). */
export interface Acknowledged {
  id: string;
  sentAt: number;
  at: number;
}

export interface Writers {
  acknowledged: readonly Acknowledged[];
  /** Resolves when this many further writes are acknowledged. */
  advance(writes: number): Promise<void>;
  /** Waits for the requests in flight, which may fail. */
  stop(): Promise<void>;
}

const CONNECTIONS = 4;

/** Creates tickets on several connections until it is stopped. */
export function startWriters(clients: Clients): Writers {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;

  async function keepWriting(): Promise<void> {
    while (!isOver) {
      const sentAt = performance.now();
      const id = await clients.createTicket().catch(() => undefined);
      if (id !== undefined) acknowledged.push({ id, sentAt, at: performance.now() });
    }
  }

  const writing = Promise.all(Array.from({ length: CONNECTIONS }, keepWriting));
  return {
    acknowledged,
    async advance(writes) {
      const enough = acknowledged.length + writes;
      await poll('further writes', async () => acknowledged.length >= enough);
    },
    async stop() {
      isOver = true;
      await writing;
    },
  };
}
