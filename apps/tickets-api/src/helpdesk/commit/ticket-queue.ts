import { AppError } from '@keydesk/errors';

export interface TicketQueueOptions {
  /** Longest time that a change waits for its turn and then retries. */
  maxWaitMs?: number;
  /** Called each time a change is refused. */
  onRefusal?: () => void;
}

/**
 * Queues the changes of each ticket within one process. Without the queue, every round of racing changes reads, checks
 * and writes all of them but commits one, so the work grows with the square of their number.
 */
export interface TicketQueue {
  /**
   * Runs `attempt` once all earlier changes of these tickets have ended, in order of arrival. Retries while it resolves
   * with `undefined` because another process was faster. A change joins the queues of all its tickets at once, so
   * changes of several tickets cannot deadlock. `attempt` must not enter the queue itself.
   *
   * @throws {AppError} `unavailable` with `retryAfterSeconds`: on arrival if the expected wait is longer than
   * `maxWaitMs`, else when that time ends
   */
  run<T>(ticketIds: readonly string[], attempt: () => Promise<T | undefined>): Promise<T>;
  /** Number of tickets that are being changed. */
  readonly size: number;
}

/** A change that waits in the queues of its tickets. */
interface Entry {
  ticketIds: readonly string[];
  /** Number of queues in which another change comes first. */
  blockers: number;
  start?: () => void;
}

/** The changes of one ticket in order of arrival. */
interface Queue {
  entries: Entry[];
  /** Moving average of the duration of a turn. */
  turnMs: number;
}

const MAX_WAIT_MS = 5_000;
/** Weight of the latest turn in the average. */
const LATEST_WEIGHT = 0.25;

export function createTicketQueue({
  maxWaitMs = MAX_WAIT_MS,
  onRefusal,
}: TicketQueueOptions = {}): TicketQueue {
  const queues = createQueues();

  function refuse(): AppError {
    onRefusal?.();
    return new AppError('unavailable', 'Too many changes of this ticket at once; try again.', {
      retryAfterSeconds: Math.ceil(maxWaitMs / 1000),
    });
  }

  async function waitForTurn(entry: Entry): Promise<void> {
    if (entry.blockers === 0) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        queues.leave(entry);
        reject(refuse());
      }, maxWaitMs);
      entry.start = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    async run(ticketIds, attempt) {
      const giveUpAt = performance.now() + maxWaitMs;
      if (queues.expectedWaitMs(ticketIds) > maxWaitMs) throw refuse();
      const entry = queues.enter(ticketIds);
      await waitForTurn(entry);
      const startedAt = performance.now();
      try {
        do {
          const outcome = await attempt();
          if (outcome !== undefined) return outcome;
        } while (performance.now() < giveUpAt);
        throw refuse();
      } finally {
        queues.leave(entry, performance.now() - startedAt);
      }
    },
    get size() {
      return queues.size();
    },
  };
}

function createQueues() {
  const queues = new Map<string, Queue>();

  return {
    size: () => queues.size,
    expectedWaitMs(ticketIds: readonly string[]): number {
      const waits = ticketIds.map((id) => {
        const queue = queues.get(id);
        return queue ? queue.entries.length * queue.turnMs : 0;
      });
      return Math.max(0, ...waits);
    },
    /** Adds a change to the queue of each distinct ticket. */
    enter(ticketIds: readonly string[]): Entry {
      const entry: Entry = { ticketIds: [...new Set(ticketIds)], blockers: 0 };
      for (const id of entry.ticketIds) {
        const queue = queues.get(id) ?? { entries: [], turnMs: 0 };
        queues.set(id, queue);
        if (queue.entries.push(entry) > 1) entry.blockers += 1;
      }
      return entry;
    },
    /** Removes a change and starts those it no longer blocks. `turnMs` is the duration of its turn, if it had one. */
    leave(entry: Entry, turnMs?: number): void {
      for (const id of entry.ticketIds) {
        const queue = queues.get(id) as Queue;
        const place = queue.entries.indexOf(entry);
        queue.entries.splice(place, 1);
        if (turnMs !== undefined) queue.turnMs = average(queue.turnMs, turnMs);
        const [next] = queue.entries;
        if (!next) queues.delete(id);
        else if (place === 0 && --next.blockers === 0) next.start?.();
      }
    },
  };
}

function average(before: number, latest: number): number {
  return before === 0 ? latest : before + LATEST_WEIGHT * (latest - before);
}
