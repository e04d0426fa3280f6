import type { RepeatableRequest } from '../idempotency.ts';
import type { People } from '../people/people.ts';
import type { Viewer } from '../people/viewer.ts';
import { toCustomerQuery } from './customer-query.ts';
import type { ToChanges } from './edits.ts';
import { assertStaff } from './permissions.ts';
import { planCreation } from './plan-creation.ts';
import type { NewTicket, Ticket } from './ticket.ts';
import { createTicketChanges } from './ticket-changes.ts';
import type { TicketQuery, TicketStore } from './ticket-store.ts';
import type { TicketWriter } from './ticket-writer.ts';
import { getVisible, viewOf } from './visibility.ts';

export interface TicketsDeps {
  store: Pick<TicketStore, 'find' | 'list'>;
  writer: TicketWriter;
  people: People;
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
  hasMore: boolean;
}

/**
 * What viewers can do with tickets, whatever the wire format. Each sees them in their own way, and for each there are
 * only those that they may see: everything throws `AppError('not_found')` for another.
 */
export interface Tickets {
  /**
   * Makes a ticket, or for a repeated request tells the one that the first made, as it was then.
   *
   * @throws {AppError} `forbidden`, `validation_failed`, `idempotency_mismatch`
   */
  create(viewer: Viewer, input: NewTicket, request?: RepeatableRequest): Promise<ChangeOutcome>;
  get(viewer: Viewer, id: string): Promise<Ticket>;
  /** @throws {AppError} `forbidden` when others than staff ask for deleted ones */
  list(viewer: Viewer, query: TicketQuery): Promise<TicketPage>;
  /**
   * Applies what `toChanges` makes of the current ticket. When another change comes first, `toChanges` is asked again
   * with its outcome, so that no change is lost.
   *
   * @throws {AppError} `precondition_failed` with the current ticket, `forbidden`, `ticket_closed`,
   * `transition_not_allowed`, and whatever `toChanges` throws
   */
  change(
    viewer: Viewer,
    id: string,
    toChanges: ToChanges,
    precondition: Precondition,
  ): Promise<ChangeOutcome>;
  /** Deletes for a while. @throws {AppError} `forbidden`, `precondition_failed` */
  remove(viewer: Viewer, id: string, precondition: Precondition): Promise<ChangeOutcome>;
  /** Takes a deletion back. @throws {AppError} `forbidden`, `idempotency_mismatch`, `precondition_failed` */
  restore(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    request?: RepeatableRequest,
  ): Promise<ChangeOutcome>;
  /** Deletes for good, whether deleted before or not. @throws {AppError} `forbidden`, `precondition_failed` */
  purge(viewer: Viewer, id: string, precondition: Precondition): Promise<ChangeOutcome>;
}

export function createTickets({ store, writer, people, newId }: TicketsDeps): Tickets {
  return {
    async create(viewer, input, request) {
      const deps = { store, people, newId };
      const plan = (now: Date) => planCreation(deps, viewer, input, now);
      const { answer, ...settled } = await writer.settle(plan, request);
      return { ticket: answer, ...settled };
    },
    async get(viewer, id) {
      return viewOf(viewer, await getVisible(store, viewer, id));
    },
    async list(viewer, query) {
      if (query.isDeleted) assertStaff(viewer, 'list deleted tickets');
      const visible = viewer.isStaff ? query : toCustomerQuery(viewer, query);
      if (!visible) return { tickets: [], hasMore: false };
      const found = await store.list({ ...visible, limit: query.limit + 1 });
      const tickets = found.slice(0, query.limit).map((record) => viewOf(viewer, record));
      return { tickets, hasMore: found.length > query.limit };
    },
    ...createTicketChanges({ store, writer, people }),
  };
}
