import { resolveDefinitions } from '../../api/tickets/defined-filter.ts';
import { resolvePeople } from '../../api/tickets/people-of-filter.ts';
import { createSideLoads, type LoadIncluded } from '../../api/tickets/side-loads.ts';
import { typeFilter } from '../../api/tickets/typed-filter.ts';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import { planCreation } from '../commit/plan-creation.ts';
import { createTicketChanges } from '../commit/ticket-changes.ts';
import type { TicketWriter } from '../commit/ticket-writer.ts';
import { type CountableField, createTicketCounts, type TicketCount } from '../list/count-tickets.ts';
import { toCustomerQuery } from '../list/customer-query.ts';
import { createHighlights, type LoadHighlights } from '../list/highlights.ts';
import { withImpliedRange } from '../list/implied-range.ts';
import { listByRelevance } from '../list/ranked-list.ts';
import type { Total } from '../list/total.ts';
import type { People } from '../people/people.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { Viewer } from '../people/viewer.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { ToChanges } from './edits.ts';
import { assertExternalId } from './external-id.ts';
import { assertStaff } from './permissions.ts';
import type { NewTicket, Ticket } from './ticket.ts';
import { type TicketPosition, type TicketQuery, type TicketStore, toPosition } from './ticket-store.ts';
import { getReadable, toVisibleAnswer, viewOf } from './visibility.ts';

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

/** Whether what the viewer sees is what they mean to change. */
export type Precondition = (view: Ticket) => boolean;

export interface ChangeOutcome {
  ticket: Ticket;
  /** `false`: the ticket was like that already, and is at the same version. */
  hasChanged: boolean;
  isReplayed: boolean;
}

export interface TicketPage {
  tickets: readonly Ticket[];
  /** Where the list goes on, which may be behind more than the tickets of the page; `undefined` at its end. */
  end?: TicketPosition | undefined;
}

/** How many tickets a page looks at, at most, whether they match or not. */
const PAGE_STEPS = 2_000;
/** How many it looks at first: where many match, so few fill a page. */
const FIRST_STEPS = 400;

/**
 * What viewers can do with tickets, whatever the wire format. Each sees them in their own way, and for each there are
 * only those that they may see: everything throws `AppError('not_found')` for another.
 */
export interface Tickets {
  /**
   * Creates a ticket, or for a repeated request returns the one that the first created, as it was then.
   *
   * @param isUnique Whether its external id is to be unique within the client
   * @throws {AppError} `forbidden`, `validation_failed`, `idempotency_mismatch`, `id_in_use`, `external_id_in_use`
   */
  create(
    viewer: Viewer,
    input: NewTicket,
    requests?: readonly RepeatableRequest[],
    isUnique?: boolean,
  ): Promise<ChangeOutcome>;
  /** @param isDeleted Whether it may be a deleted one. @throws {AppError} `forbidden` for others than staff then */
  get(viewer: Viewer, id: string, isDeleted?: boolean): Promise<Ticket>;
  /**
   * A page may hold fewer tickets than its limit, even none, before the end of the list: it looks at a limited number.
   *
   * @throws {AppError} `forbidden` when others than staff ask for deleted ones, or for what customers do not see;
   * `validation_failed` when `me` is nobody, and for values of custom fields that their definitions do not allow
   */
  list(viewer: Viewer, query: TicketQuery): Promise<TicketPage>;
  /** How many tickets a list has, up to 10,000. @throws {AppError} as `list` */
  count(viewer: Viewer, query: TicketQuery): Promise<Total>;
  /** The tickets of a list by the values of a field, within the bounds of a count. @throws {AppError} as `list` */
  countBy(viewer: Viewer, query: TicketQuery, by: CountableField): Promise<readonly TicketCount[]>;
  /** What is sent along with tickets. */
  include: LoadIncluded;
  /** Where tickets have what was searched for. */
  highlight: LoadHighlights;
  /**
   * Applies what `toChanges` makes of the current ticket. When another change comes first, `toChanges` is asked again
   * with its outcome, so that no change is lost.
   *
   * @param isUnique Whether its external id is to be unique within the client from now on
   * @throws {AppError} `precondition_failed` with the current ticket, `forbidden`, `ticket_closed`,
   * `transition_not_allowed`, `external_id_in_use`, and whatever `toChanges` throws
   */
  change(
    viewer: Viewer,
    id: string,
    toChanges: ToChanges,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
    isUnique?: boolean,
  ): Promise<ChangeOutcome>;
  /** Deletes for a while. @throws {AppError} `forbidden`, `idempotency_mismatch`, `precondition_failed` */
  remove(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
  /** Takes a deletion back. @throws {AppError} `forbidden`, `idempotency_mismatch`, `precondition_failed` */
  restore(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
  /** Deletes for good, whether deleted before or not; no answer is kept for repetitions. @throws {AppError} `forbidden`, `precondition_failed` */
  purge(viewer: Viewer, id: string, precondition: Precondition): Promise<ChangeOutcome>;
}

export function createTickets(deps: TicketsDeps): Tickets {
  const { store, writer, people, directory, replies, newId } = deps;

  /** `undefined`: there is nothing that the viewer could find. */
  async function toVisible(viewer: Viewer, query: TicketQuery): Promise<TicketQuery | undefined> {
    if (query.isDeleted) assertStaff(viewer, 'list deleted tickets');
    const resolved = resolveDefinitions(viewer.definitions, typeFilter(viewer, query.filter));
    const typed = { ...query, filter: resolved };
    const visible = viewer.isStaff ? typed : toCustomerQuery(viewer, typed);
    if (!visible) return undefined;
    const filter = await resolvePeople(directory, viewer, visible.filter);
    return withImpliedRange({ ...visible, filter });
  }

  /** A page, and where the walk to it ended before the end of the list. */
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
        for (const deed of creation.deeds) await assertExternalId(store, deed);
        return creation;
      };
      const changed = input.follow_up_of === null ? [] : [input.follow_up_of];
      return toVisibleAnswer(people, viewer, await writer.settle(changed, plan, requests));
    },
    async get(viewer, id, isDeleted) {
      return viewOf(viewer, await getReadable(store, viewer, { id, isDeleted }));
    },
    async list(viewer, query) {
      const visible = await toVisible(viewer, query);
      if (!visible) return { tickets: [] };
      if (query.isRanked) {
        const { records, end } = await listByRelevance(store, viewer, visible, PAGE_STEPS);
        return { tickets: records.map((record) => viewOf(viewer, record)), end };
      }
      const { found, until } = await walk({ ...visible, limit: query.limit + 1 });
      const tickets = found.slice(0, query.limit).map((record) => viewOf(viewer, record));
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
