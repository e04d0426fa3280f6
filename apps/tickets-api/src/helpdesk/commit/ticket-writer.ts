import type { FieldCatalogue } from '../fields/field-catalogue.ts';
import { findStaff } from '../people/find-staff.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { Doer } from '../people/viewer.ts';
import { loadReplyTraces } from '../replies/load-all-replies.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import { shownPeopleOf } from '../tickets/ticket-record.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { type RepeatableRequest, type RequestRecord, toRequestRecord } from './idempotency.ts';
import { type ChangeResult, replayIfRecorded, toChangeResult, toRecordedRequest } from './replay.ts';
import type { TicketCommit, TicketRecord } from './ticket-commit.ts';
import type { TicketQueue } from './ticket-queue.ts';
import { type Deed, isIdle, toCommit } from './to-commit.ts';

export interface TicketWriterDeps {
  tickets: Pick<TicketStore, 'commit'>;
  replies: Pick<ReplyStore, 'list'>;
  people: Pick<PersonStore, 'findAll'>;
  /** One a process. */
  queue: Pick<TicketQueue, 'run'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  now: () => Date;
  newId: () => string;
}

/** What is to be done, in one transaction, and what is answered once it is. */
export interface Plan<Answer> {
  /** One a ticket. */
  deeds: readonly Deed[];
  by: Doer;
  /** Tickets by which it was decided, and which must still be as they were then. */
  witnesses?: readonly TicketRecord[] | undefined;
  /** Made of the records as they will be, in the order of `deeds`. Plain data: a repeated request gets it again. */
  toAnswer(records: readonly (TicketRecord | undefined)[]): Answer;
}

/** The one way in which anything of a ticket changes. */
export interface TicketWriter {
  /**
   * Commits what `decide` plans. It decides when the turn of its tickets comes, and again when another process changes
   * one of them first, so that no change is lost.
   * A repeated request gets the first answer, whatever `decide` would say by now, also where that one changed nothing.
   *
   * @param ticketIds Existing tickets that the plan changes, as far as the request tells
   * @param requests What the request is recognised by when it is repeated
   * @throws {AppError} `idempotency_mismatch`, `id_in_use`, `unavailable`, and whatever `decide` throws
   */
  settle<Answer>(
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
  /** The commit of each deed; `undefined` for one that changes nothing. */
  async function prepare({ deeds, by }: Plan<unknown>, at: Date): Promise<(TicketCommit | undefined)[]> {
    const loadReplies = (ticketId: string) => loadReplyTraces(replies, ticketId);
    const fields = await catalogue.current();
    const staff = await findStaff(people, deeds.flatMap(newPeopleOf));
    const circumstances = { by, now: at, newId, fields, staff, loadReplies };
    return Promise.all(deeds.map((deed) => (isIdle(deed) ? undefined : toCommit(deed, circumstances))));
  }

  /** Resolves with nothing when another change came first. */
  async function attempt<Answer>(
    plan: Plan<Answer>,
    at: Date,
    requestRecords: readonly RequestRecord[],
  ): Promise<ChangeResult<Answer> | undefined> {
    const prepared = await prepare(plan, at);
    const commits = prepared.filter((commit) => commit !== undefined);
    const records = prepared.map((commit, i) => (commit ? commit.record : plan.deeds[i]?.before));
    const settled = {
      answer: plan.toAnswer(records),
      hasChanged: commits.length > 0,
      isReplayed: false,
    };
    const request = toRecordedRequest(requestRecords, settled, records[0]?.ticket.id ?? null);
    if (!settled.hasChanged && !request) return settled;
    // What is like that already must be so still when that is kept as the answer.
    const asTheyWere = settled.hasChanged ? plan.witnesses : plan.deeds.flatMap(({ before }) => before ?? []);
    const witnesses = (asTheyWere ?? []).map(toWitness);
    return toChangeResult(await tickets.commit([...commits, ...witnesses], request), settled);
  }

  return {
    settle: (ticketIds, decide, requests = []) =>
      queue.run(ticketIds, () => {
        const at = now();
        const requestRecords = requests.map((request) => toRequestRecord(request, at));
        const settle = async () => attempt(await decide(at), at, requestRecords);
        return replayIfRecorded(settle, requestRecords, (request) => tickets.commit([neverDue], request));
      }),
  };
}

/** The people whom customers see on the ticket from now on. The record has those of the others who are staff. */
function newPeopleOf({ before, after }: Deed): readonly string[] {
  if (!after) return [];
  const known = before ? shownPeopleOf(before.ticket) : [];
  return shownPeopleOf(after).filter((id) => !known.includes(id));
}

/** The same ticket once more: it changes nothing, but is stale when the ticket has changed. */
function toWitness(record: TicketRecord): TicketCommit {
  const { id, version } = record.ticket;
  return { id, expectedVersion: version, record, events: [], feedEntries: [] };
}

/**
 * A commit that is always stale, for versions count from 1. By the law of `TicketStore.commit`, a request that was
 * committed before is replayed all the same, and nothing is written for one that was not.
 */
const neverDue: TicketCommit = {
  id: '00000000-0000-7000-8000-000000000000',
  expectedVersion: 0,
  record: undefined,
  events: [],
  feedEntries: [],
};
