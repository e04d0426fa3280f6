import type { TicketStore } from '../tickets/ticket-store.ts';
import type { Reader } from './change.ts';
import type { ChangeStore } from './change-store.ts';

export interface FeedWatchDeps {
  changes: Pick<ChangeStore, 'bounds'>;
  /** How often it is asked what other processes have written. */
  pollMs?: number | undefined;
}

/** Tells when there is something new to read. */
export interface FeedWatch {
  /**
   * From now on nothing is missed, until `signal` is aborted. Who has no feed yet is told to look again with every poll.
   */
  subscribe(reader: Reader | undefined, signal: AbortSignal): Subscription;
  /** Something was written for these readers. */
  stir(readers: Iterable<Reader>): void;
}

export interface Subscription {
  /**
   * Resolves once there may be something that was not there at the last call, or at the subscription: at once when it
   * has come already, and when the signal is aborted or `ms` have passed.
   */
  next(ms: number): Promise<void>;
  close(): void;
}

/** Those who read one feed, and the poll that they share. */
interface Audience {
  members: Set<() => void>;
  stopPoll: () => void;
}

const POLL_MS = 1_000;

/** Watches feeds without holding anything of the database: one small query a second for each feed with a reader. */
export function createFeedWatch({ changes, pollMs = POLL_MS }: FeedWatchDeps): FeedWatch {
  const audiences = new Map<Reader | undefined, Audience>();

  /** Stirs the members at the first look, for it cannot be told what came just before it, and at every difference. */
  function poll(reader: Reader | undefined, members: Audience['members']): () => void {
    let known: number | undefined;
    async function look(): Promise<void> {
      // Where it can't be told, those who read will be told why.
      const last = await lastOf(reader).catch(() => undefined);
      if (last === undefined || last !== known) stirAll(members);
      known = last;
      timer = schedule();
    }
    const schedule = () => (members.size === 0 ? timer : setTimeout(look, pollMs).unref());
    let timer: NodeJS.Timeout | undefined = setTimeout(look, pollMs).unref();
    return () => clearTimeout(timer);
  }

  async function lastOf(reader: Reader | undefined): Promise<number | undefined> {
    return reader === undefined ? undefined : (await changes.bounds(reader)).last;
  }

  function open(reader: Reader | undefined): Audience {
    const members: Audience['members'] = new Set();
    const audience = { members, stopPoll: poll(reader, members) };
    audiences.set(reader, audience);
    return audience;
  }

  function leave(reader: Reader | undefined, audience: Audience, stir: () => void): void {
    audience.members.delete(stir);
    if (audience.members.size > 0 || audiences.get(reader) !== audience) return;
    audience.stopPoll();
    audiences.delete(reader);
  }

  return {
    subscribe(reader, signal) {
      const audience = audiences.get(reader) ?? open(reader);
      const bell = createBell();
      audience.members.add(bell.ring);
      const close = () => leave(reader, audience, bell.ring);
      // Whoever goes away before they have read anything may never come to close it.
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
      return { next: (ms) => bell.next(signal, ms), close };
    },
    stir(readers) {
      for (const reader of readers) stirAll(audiences.get(reader)?.members ?? []);
    },
  };
}

/** The same store; it tells who sees something of each commit, once that is durable. */
export function announceCommits(store: TicketStore, stir: FeedWatch['stir']): TicketStore {
  return {
    ...store,
    async commit(commits, request) {
      const outcome = await store.commit(commits, request);
      if (outcome.outcome === 'committed') {
        stir(new Set(commits.flatMap(({ sightings }) => sightings.map(({ reader }) => reader))));
      }
      return outcome;
    },
  };
}

function stirAll(members: Iterable<() => void>): void {
  for (const stir of members) stir();
}

/** Remembers that it rang until somebody has listened. */
function createBell(): { ring: () => void; next(signal: AbortSignal, ms: number): Promise<void> } {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async next(signal, ms) {
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', end);
            resolve();
          };
          const timer = setTimeout(end, ms);
          signal.addEventListener('abort', end);
          wake = end;
        });
      }
      hasRung = false;
      wake = undefined;
    },
  };
}
