import type { TicketStore } from '../tickets/ticket-store.ts';
import type { Reader } from './change.ts';
import type { ChangeStore } from './change-store.ts';

export interface FeedWatchDeps {
  changes: Pick<ChangeStore, 'bounds'>;
  /** Polling interval for commits of other processes, in milliseconds. */
  pollMs?: number | undefined;
}

/** Notifies readers of new changes. */
export interface FeedWatch {
  /**
   * Subscribes a reader until `signal` is aborted; no later change is missed. A reader without a feed yet is notified
   * with every poll.
   */
  subscribe(reader: Reader | undefined, signal: AbortSignal): Subscription;
  /** Notifies the subscribers of these readers. */
  notify(readers: Iterable<Reader>): void;
}

export interface Subscription {
  /**
   * Resolves when there may be changes since the last call or the subscription: at once if some have arrived already.
   * Also resolves when the signal is aborted or `ms` have passed.
   */
  next(ms: number): Promise<void>;
  close(): void;
}

/** Subscribers of one feed, with a shared poll. */
interface Subscribers {
  members: Set<() => void>;
  stopPoll: () => void;
}

const POLL_MS = 1_000;

/** Watches feeds by polling, with one small query per second for each feed that has subscribers. */
export function createFeedWatch({ changes, pollMs = POLL_MS }: FeedWatchDeps): FeedWatch {
  const subscribersByReader = new Map<Reader | undefined, Subscribers>();

  /** Starts polling. Notifies at the first poll, because earlier changes may have been missed, and at every difference. */
  function poll(reader: Reader | undefined, members: Subscribers['members']): () => void {
    let previous: number | undefined;
    async function look(): Promise<void> {
      // After a failed poll, subscribers read and get the error themselves.
      const last = await lastOf(reader).catch(() => undefined);
      if (last === undefined || last !== previous) notifyAll(members);
      previous = last;
      timer = schedule();
    }
    const schedule = () => (members.size === 0 ? timer : setTimeout(look, pollMs).unref());
    let timer: NodeJS.Timeout | undefined = setTimeout(look, pollMs).unref();
    return () => clearTimeout(timer);
  }

  async function lastOf(reader: Reader | undefined): Promise<number | undefined> {
    return reader === undefined ? undefined : (await changes.bounds(reader)).last;
  }

  function open(reader: Reader | undefined): Subscribers {
    const members: Subscribers['members'] = new Set();
    const subscribers = { members, stopPoll: poll(reader, members) };
    subscribersByReader.set(reader, subscribers);
    return subscribers;
  }

  function leave(reader: Reader | undefined, subscribers: Subscribers, notify: () => void): void {
    subscribers.members.delete(notify);
    if (subscribers.members.size > 0 || subscribersByReader.get(reader) !== subscribers) return;
    subscribers.stopPoll();
    subscribersByReader.delete(reader);
  }

  return {
    subscribe(reader, signal) {
      const subscribers = subscribersByReader.get(reader) ?? open(reader);
      const newChanges = createSignal();
      subscribers.members.add(newChanges.set);
      const close = () => leave(reader, subscribers, newChanges.set);
      // A client that disconnects before it has read anything may never close its subscription.
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
      return { next: (ms) => newChanges.next(signal, ms), close };
    },
    notify(readers) {
      for (const reader of readers) notifyAll(subscribersByReader.get(reader)?.members ?? []);
    },
  };
}

/** Wraps a store so that it notifies the readers affected by each commit, once that is durable. */
export function notifyOnCommit(store: TicketStore, notify: FeedWatch['notify']): TicketStore {
  return {
    ...store,
    async commit(commits, request) {
      const outcome = await store.commit(commits, request);
      if (outcome.outcome === 'committed') {
        notify(new Set(commits.flatMap(({ feedEntries }) => feedEntries.map(({ reader }) => reader))));
      }
      return outcome;
    },
  };
}

function notifyAll(members: Iterable<() => void>): void {
  for (const notify of members) notify();
}

/** Creates a signal that stays set until it has been awaited. */
function createSignal(): { set: () => void; next(signal: AbortSignal, ms: number): Promise<void> } {
  let isSet = false;
  let wake: (() => void) | undefined;
  return {
    set() {
      isSet = true;
      wake?.();
    },
    async next(signal, ms) {
      if (!isSet && !signal.aborted) {
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
      isSet = false;
      wake = undefined;
    },
  };
}
