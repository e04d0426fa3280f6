import { setImmediate as nextTurn } from 'node:timers/promises';
import { isConflict, type Transactions } from '@keydesk/storage/mongo-transactions';
import type { ClientSession } from 'mongoose';
import type { CommitOutcome, RecordedRequest, TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import { requirePatience } from './commit-once.ts';

/** One call of `TicketStore.commit`: all of it is committed, or nothing. */
export interface GroupMember {
  commits: readonly TicketCommit[];
  request: RecordedRequest | undefined;
}

/** Whether the writes that follow wait for the record of a request, as conflicts mean that it is in flight. */
export interface WriteProgress {
  isAtKey: boolean;
}

/**
 * Writes the members of a group in the transaction of `session`, and returns their outcomes in order. A member that is
 * rejected, stale or replayed writes nothing. Anything that fails later makes the whole group fail.
 */
export type WriteGroup = (
  members: readonly GroupMember[],
  session: ClientSession,
  progress: WriteProgress,
) => Promise<PromiseSettledResult<CommitOutcome>[]>;

/** Attempts of a group before it is split. Most conflicts end with the other transaction. */
const ATTEMPTS_TOGETHER = 2;

/**
 * Creates a group commit: the calls that arrive while a group is being committed form the next one, which takes about
 * as many round trips as a single call. A group that fails is split in halves, which no longer delay the next groups,
 * until a call is alone: it fails by itself, and the others are committed. Calls that write the same ticket, key or
 * external id follow each other.
 */
export function createCommitGroups(
  transactions: Transactions,
  write: WriteGroup,
): (member: GroupMember) => Promise<CommitOutcome> {
  /** Commits a group and settles its members, or leaves them to halves that continue by themselves. Never rejects. */
  async function commitTogether(group: readonly Pending[]): Promise<void> {
    const [only] = group;
    if (only && group.length === 1) return commitAlone(only);
    for (let attempt = 0; attempt < ATTEMPTS_TOGETHER; attempt++) {
      const failure = await attemptTogether(group);
      if (!failure) return;
      if (!isConflict(failure.err)) break;
    }
    const middle = Math.ceil(group.length / 2);
    void commitTogether(group.slice(0, middle));
    void commitTogether(group.slice(middle));
  }

  /** Attempts to commit a group. Returns the failure of a transaction that has certainly not been committed. */
  async function attemptTogether(group: readonly Pending[]): Promise<{ err: unknown } | undefined> {
    let isCommitting = false;
    try {
      const results = await transactions.runOnce(async (session) => {
        const outcomes = await write(group, session, { isAtKey: false });
        isCommitting = true;
        return outcomes;
      });
      for (const [i, { settle }] of group.entries())
        settle(results[i] as PromiseSettledResult<CommitOutcome>);
    } catch (err) {
      if (!isCommitting || isConflict(err)) return { err };
      // The outcome of a failed commit is unknown, so it must not be repeated.
      for (const { settle } of group) settle(rejected(err));
    }
    return undefined;
  }

  async function commitAlone(pending: Pending): Promise<void> {
    const progress: WriteProgress = { isAtKey: false };
    try {
      const [result] = await transactions.run(async (session) => {
        requirePatience(performance.now() - pending.startedAt, progress.isAtKey);
        return await write([pending], session, progress);
      });
      pending.settle(result as PromiseSettledResult<CommitOutcome>);
    } catch (err) {
      pending.settle(rejected(err));
    }
  }

  return createCommitQueue(commitTogether);
}

/** Maximum number of members of a group, so that a transaction has hundreds of documents at most. */
const MAX_GROUP = 64;
/** Turns of the event loop that a group waits for further members, as on SQLite. */
const TURNS_TO_JOIN = 8;

interface Pending extends GroupMember {
  /** Names of everything that only one commit in flight may write. */
  keys: readonly string[];
  startedAt: number;
  settle: (result: PromiseSettledResult<CommitOutcome>) => void;
}

/** Creates a queue that runs one group at a time; `commit` may settle members later. */
function createCommitQueue(
  commit: (group: readonly Pending[]) => Promise<void>,
): (member: GroupMember) => Promise<CommitOutcome> {
  const busy = new Set<string>();
  let queue: Pending[] = [];
  let isRunning = false;

  /** Takes waiting members without a common key, in order of arrival. */
  function takeGroup(): Pending[] {
    const group: Pending[] = [];
    const seen = new Set(busy);
    queue = queue.filter((pending) => {
      const isFree = group.length < MAX_GROUP && !pending.keys.some((key) => seen.has(key));
      for (const key of pending.keys) seen.add(key);
      if (isFree) group.push(pending);
      return !isFree;
    });
    for (const key of group.flatMap(({ keys }) => keys)) busy.add(key);
    return group;
  }

  async function drain(): Promise<void> {
    isRunning = true;
    for (;;) {
      for (let turn = 0; turn < TURNS_TO_JOIN; turn += 1) await nextTurn();
      const group = takeGroup();
      if (group.length === 0) break;
      await commit(group);
    }
    isRunning = false;
  }

  function wake(): void {
    if (!isRunning && queue.length > 0) void drain();
  }

  return (member) => {
    const { promise, resolve, reject } = Promise.withResolvers<CommitOutcome>();
    const keys = toKeys(member);
    const settle: Pending['settle'] = (result) => {
      for (const key of keys) busy.delete(key);
      if (result.status === 'fulfilled') resolve(result.value);
      else reject(result.reason);
      wake();
    };
    queue.push({ ...member, keys, startedAt: performance.now(), settle });
    wake();
    return promise;
  };
}

export function rejected(reason: unknown): PromiseRejectedResult {
  return { status: 'rejected', reason };
}

function toKeys({ commits, request }: GroupMember): string[] {
  return [
    ...commits.map(({ id }) => `ticket ${id}`),
    ...commits.flatMap(({ record }) =>
      record?.externalIdClient === undefined
        ? []
        : [`external ${record.externalIdClient} ${record.ticket.external_id}`],
    ),
    ...(request?.records ?? []).map(({ key }) => `key ${key}`),
  ];
}
