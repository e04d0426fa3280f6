import { AppError } from '@keydesk/errors';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import { planCreation } from '../commit/plan-creation.ts';
import { createTicketChanges } from '../commit/ticket-changes.ts';
import type { TicketWriter } from '../commit/ticket-writer.ts';
import { type CountableField, createTicketCounts, type TicketCount } from '../list/count-tickets.ts';
import { resolveDefinitions } from '../list/defined-filter.ts';
import { createHighlights, type LoadHighlights } from '../list/highlights.ts';
import { resolvePeople } from '../list/people-of-filter.ts';
import { listByRelevance } from '../list/ranked-list.ts';
import { createSideLoads, type LoadIncluded } from '../list/side-loads.ts';
import {
  type FieldName,
  type FilterField,
  filterFields,
  listConditions,
  withImpliedRange,
} from '../list/ticket-filter.ts';
import type { Total } from '../list/total.ts';
import { typeFilter } from '../list/typed-filter.ts';
import type { People } from '../people/people.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { Viewer } from '../people/viewer.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { ToChanges } from './edits.ts';
import { assertExternalId } from './external-id.ts';
import { assertStaff } from './permissions.ts';
import type { NewTicket, Ticket } from './ticket.ts';
import { type TicketPosition, type TicketQuery, type TicketStore, toPosition } from './ticket-store.ts';
import { getReadable, toTicketView, toVisibleAnswer } from './visibility.ts';

export interface TicketsDeps {
  store: Pick<
    TicketStore,
    'find' | 'findByExternalId' | 'list' | 'listTexts' | 'findStep' | 'count' | 'countBy'
  >;
  writer: TicketWriter;
  people: People;
  directory: Pick<PersonStore, 'findAll' | 'findByEmails'>;
  replies: Pick<ReplyStore, 'listNewest'>;
  newId: () => string;
}

/** Whether the viewer's view of a ticket satisfies the conditions of the request, such as `If-Match`. */
export type Precondition = (view: Ticket) => boolean;

export interface ChangeOutcome {
  ticket: Ticket;
  /** Whether the ticket has a new version; `false` for a no-op. */
  hasChanged: boolean;
  isReplayed: boolean;
}

export interface TicketPage {
  tickets: readonly Ticket[];
  /** Position of the next page, possibly after tickets that did not match; `undefined` at the end of the list. */
  end?: TicketPosition | undefined;
}

/** Most tickets that a page reads, whether they match or not. */
const PAGE_STEPS = 2_000;
/** Tickets that a page reads in a first attempt, which fills the page when many match. */
const FIRST_STEPS = 400;

/**
 * Operations on tickets, independent of the wire format. Results are the viewer's view of a ticket. All operations
 * throw `AppError('not_found')` for a ticket that the viewer may not see.
 */
export interface Tickets {
  /**
   * Creates a ticket. A repeated request returns the ticket as the first request created it.
   *
   * @param isUnique Whether the external id must be unique within the client
   * @throws {AppError} `forbidden`, `validation_failed`, `idempotency_mismatch`, `id_in_use`, `external_id_in_use`
   */
  create(
    viewer: Viewer,
    input: NewTicket,
    requests?: readonly RepeatableRequest[],
    isUnique?: boolean,
  ): Promise<ChangeOutcome>;
  /** @param isDeleted Whether deleted tickets are returned too. @throws {AppError} `forbidden` for customers who set it */
  get(viewer: Viewer, id: string, isDeleted?: boolean): Promise<Ticket>;
  /**
   * Lists a page of tickets. A page before the end of the list may have fewer tickets than its limit, even none,
   * because it reads a limited number.
   *
   * @throws {AppError} `forbidden` when customers request deleted tickets or filter by fields that they do not see
   * @throws {AppError} `validation_failed` for `me` if the token belongs to no person, and for invalid values of custom
   * fields
   */
  list(viewer: Viewer, query: TicketQuery): Promise<TicketPage>;
  /** Counts the tickets of a list, up to 10,000. @throws {AppError} as `list` */
  count(viewer: Viewer, query: TicketQuery): Promise<Total>;
  /** Counts the tickets of a list by the values of a field, with the limits of `count`. @throws {AppError} as `list` */
  countBy(viewer: Viewer, query: TicketQuery, by: CountableField): Promise<readonly TicketCount[]>;
  /** Loads the side loads of tickets. */
  include: LoadIncluded;
  /** Loads the highlights of a search. */
  highlight: LoadHighlights;
  /**
   * Applies the changes that `toChanges` computes from the current ticket. After a concurrent change it calls
   * `toChanges` again with the outcome, so no change is lost.
   *
   * @param isUnique Whether the external id must be unique within the client from now on
   * @throws {AppError} `precondition_failed` with the current ticket, `forbidden`, `ticket_closed`,
   * `transition_not_allowed`, `external_id_in_use`, and all errors of `toChanges`
   */
  change(
    viewer: Viewer,
    id: string,
    toChanges: ToChanges,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
    isUnique?: boolean,
  ): Promise<ChangeOutcome>;
  /**
   * Deletes a ticket until it is restored or purged.
   *
   * @throws {AppError} `forbidden`, `idempotency_mismatch`, `precondition_failed`
   */
  remove(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
  /** Restores a deleted ticket. @throws {AppError} `forbidden`, `idempotency_mismatch`, `precondition_failed` */
  restore(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
  /**
   * Purges a ticket, deleted or not; no answer is stored for repetitions.
   *
   * @throws {AppError} `forbidden`, `precondition_failed`
   */
  purge(viewer: Viewer, id: string, precondition: Precondition): Promise<ChangeOutcome>;
}

export function createTickets(deps: TicketsDeps): Tickets {
  const { store, writer, people, directory, replies, newId } = deps;

  /** Restricts a query to tickets that the viewer sees; `undefined` if it can match nothing. */
  async function toVisible(viewer: Viewer, query: TicketQuery): Promise<TicketQuery | undefined> {
    if (query.isDeleted) assertStaff(viewer, 'list deleted tickets');
    const resolved = resolveDefinitions(viewer.definitions, typeFilter(viewer, query.filter));
    const typed = { ...query, filter: resolved };
    const visible = viewer.isStaff ? typed : toCustomerQuery(viewer, typed);
    if (!visible) return undefined;
    const filter = await resolvePeople(directory, viewer, visible.filter);
    return withImpliedRange({ ...visible, filter });
  }

  /** Reads a page, and the position where it stopped if that is before the end of the list. */
  async function walk(query: TicketQuery) {
    for (const steps of [FIRST_STEPS, PAGE_STEPS]) {
      const until = await store.findStep(query, steps);
      const found = await store.list({ ...query, ...(until && { until }) });
      if (!until || found.length === query.limit || steps === PAGE_STEPS) return { found, until };
    }
    throw new Error('The last walk returns.');
  }

  return {
    async create(viewer, input, requests, isUnique = false) {
      const deps = { store, people, newId };
      const plan = async (now: Date) => {
        const creation = await planCreation(deps, viewer, input, { now, isUnique });
        for (const change of creation.changes) await assertExternalId(store, change);
        return creation;
      };
      const changed = input.follow_up_of === null ? [] : [input.follow_up_of];
      return toVisibleAnswer(people, viewer, await writer.commitPlan(changed, plan, requests));
    },
    async get(viewer, id, isDeleted) {
      return toTicketView(viewer, await getReadable(store, viewer, { id, isDeleted }));
    },
    async list(viewer, query) {
      const visible = await toVisible(viewer, query);
      if (!visible) return { tickets: [] };
      if (query.isRanked) {
        const { records, end } = await listByRelevance(store, viewer, visible, PAGE_STEPS);
        return { tickets: records.map((record) => toTicketView(viewer, record)), end };
      }
      const { found, until } = await walk({ ...visible, limit: query.limit + 1 });
      const tickets = found.slice(0, query.limit).map((record) => toTicketView(viewer, record));
      const hasMore = found.length > query.limit;
      return { tickets, end: hasMore ? toPlace(tickets.at(-1), query) : until };
    },
    ...createTicketCounts({ store, toVisible }),
    highlight: createHighlights(replies),
    include: createSideLoads({ people: directory, replies }),
    ...createTicketChanges(deps),
  };
}

function toPlace(last: Ticket | undefined, { sort }: TicketQuery): TicketPosition | undefined {
  return last && toPosition(last, sort);
}

/**
 * Restricts a query to tickets that the customer sees; `undefined` when it can match nothing. `typeFilter` rejects
 * custom fields hidden from customers as unknown.
 *
 * @throws {AppError} `forbidden` when the filter names a field hidden from customers, whether or not a ticket matches
 */
function toCustomerQuery({ person }: Viewer, query: TicketQuery): TicketQuery | undefined {
  const hidden = listConditions(query.filter)
    .map(([name]) => name)
    .filter((name) => !isVisible(name));
  if (hidden.length > 0) throw notVisible(hidden);
  return person && { ...query, reader: person.id };
}

function isVisible(name: FieldName): boolean {
  const field: FilterField = filterFields[name];
  return field.isPublic;
}

function notVisible(names: readonly string[]): AppError {
  const message = 'is visible to staff only; omit it';
  const errors = names.map((field) => ({ field, code: 'forbidden', message }));
  return new AppError('forbidden', 'Customers can filter tickets by visible fields only; see errors.', {
    errors,
  });
}
