import type { FieldCatalogue } from '../catalogues.ts';
import { findStaff } from '../people/person-record.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { ChangeAuthor } from '../people/viewer.ts';
import { loadReplyTraces } from '../replies/load-all-replies.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import { listShownPeople } from '../tickets/ticket-record.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { type RepeatableRequest, type RequestRecord, toRequestRecord } from './idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from './replay.ts';
import type { TicketCommit, TicketRecord } from './ticket-commit.ts';
import type { TicketQueue } from './ticket-queue.ts';
import { isNoOp, type TicketChange, toCommit } from './to-commit.ts';

export interface TicketWriterDeps {
  tickets: Pick<TicketStore, 'commit'>;
  replies: Pick<ReplyStore, 'list'>;
  people: Pick<PersonStore, 'findAll'>;
  /** The queue of this process. */
  queue: Pick<TicketQueue, 'run'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  now: () => Date;
  newId: () => string;
}

/** Changes to commit in one transaction, and the answer once they are committed. */
export interface Plan<Answer> {
  /** At most one for each ticket. */
  changes: readonly TicketChange[];
  by: ChangeAuthor;
  /** Tickets that the plan depends on; the commit is stale if one of them has changed. */
  witnesses?: readonly TicketRecord[] | undefined;
  /** Builds the answer from the records after the commit, in the order of `changes`. Plain data, stored for repetitions. */
  toAnswer(records: readonly (TicketRecord | undefined)[]): Answer;
}

/** Single entry point for changes of tickets and their replies. */
export interface TicketWriter {
  /**
   * Commits the plan of `decide`. Calls `decide` when the turn of its tickets comes, and again when another process
   * changes one of them first, so no change is lost. A repeated request gets the first answer, even a no-op's, whatever
   * `decide` would plan now.
   *
   * @param ticketIds Existing tickets that the plan changes, as far as the request names them
   * @param requests Keys that identify a repetition of the request
   * @throws {AppError} `idempotency_mismatch`, `id_in_use`, `unavailable`, and all errors of `decide`
   */
  commitPlan<Answer>(
    ticketIds: readonly string[],
    decide: (now: Date) => Promise<Plan<Answer>>,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeResult<Answer>>;
}

export function createTicketWriter({
  tickets,
  replies,
  people,
  queue,
  catalogue,
  now,
  newId,
}: TicketWriterDeps): TicketWriter {
  /** Builds the commit of each change; `undefined` for a no-op. */
  async function prepare({ changes, by }: Plan<unknown>, at: Date): Promise<(TicketCommit | undefined)[]> {
    const loadReplies = (ticketId: string) => loadReplyTraces(replies, ticketId);
    const fields = await catalogue.current();
    const staff = await findStaff(people, changes.flatMap(newPeopleOf));
    const context = { by, now: at, newId, fields, staff, loadReplies };
    return Promise.all(changes.map((change) => (isNoOp(change) ? undefined : toCommit(change, context))));
  }

  /** Resolves with `undefined` when a concurrent change came first. */
  async function attempt<Answer>(
    plan: Plan<Answer>,
    at: Date,
    requestRecords: readonly RequestRecord[],
  ): Promise<ChangeResult<Answer> | undefined> {
    const prepared = await prepare(plan, at);
    const commits = prepared.filter((commit) => commit !== undefined);
    const records = prepared.map((commit, i) => (commit ? commit.record : plan.changes[i]?.before));
    const result = {
      answer: plan.toAnswer(records),
      hasChanged: commits.length > 0,
      isReplayed: false,
    };
    const request = toRecordedRequest(requestRecords, result, records[0]?.ticket.id ?? null);
    if (!result.hasChanged && !request) return result;
    // The answer to a no-op is stored only if the tickets have not changed in the meantime.
    const preconditions = result.hasChanged
      ? plan.witnesses
      : plan.changes.flatMap(({ before }) => before ?? []);
    const witnesses = (preconditions ?? []).map(toWitness);
    return toChangeResult(await tickets.commit([...commits, ...witnesses], request), result);
  }

  return {
    commitPlan: (ticketIds, decide, requests = []) =>
      queue.run(ticketIds, () => {
        const at = now();
        const requestRecords = requests.map((request) => toRequestRecord(request, at));
        const commit = async () => attempt(await decide(at), at, requestRecords);
        return replayIfRecorded(commit, requestRecords, (request) => tickets.commit([replayProbe], request));
      }),
  };
}

/** Returns the people whom the change makes visible to customers; the record already lists staff among the others. */
function newPeopleOf({ before, after }: TicketChange): readonly string[] {
  if (!after) return [];
  const known = before ? listShownPeople(before.ticket) : [];
  return listShownPeople(after).filter((id) => !known.includes(id));
}

/** Returns a commit that changes nothing and is stale if the ticket has changed. */
function toWitness(record: TicketRecord): TicketCommit {
  const { id, version } = record.ticket;
  return { id, expectedVersion: version, record, events: [], feedEntries: [] };
}

/**
 * A commit that is always stale because versions count from 1. `TicketStore.commit` still replays a request that was
 * committed earlier, and writes nothing for one that was not.
 */
const replayProbe: TicketCommit = {
  id: '00000000-0000-7000-8000-000000000000',
  expectedVersion: 0,
  record: undefined,
  events: [],
  feedEntries: [],
};
