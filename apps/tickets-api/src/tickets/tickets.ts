import { AppError } from '@keydesk/http';
import { type FirstAnswer, type RepeatableRequest, toFirstAnswer, toRequestRecord } from '../idempotency.ts';
import { changeTicket, createTicket, type NewTicket, type Ticket, type TicketChanges } from './ticket.ts';
import type { TicketQuery, TicketStore } from './ticket-store.ts';

export interface TicketsDeps {
  store: TicketStore;
  now: () => Date;
  newId: () => string;
}

/** Whether the stored version is the one the caller means to change. */
export type Precondition = (version: number) => boolean;

export interface ChangeOutcome {
  ticket: Ticket;
  /** `false`: the ticket was like that already, and is at the same version. */
  hasChanged: boolean;
}

export interface TicketPage {
  tickets: readonly Ticket[];
  hasMore: boolean;
}

/** What callers can do with tickets, whatever the wire format. */
export interface Tickets {
  /**
   * Makes a ticket, or for a repeated request tells the one that the first made, as it was then.
   *
   * @throws {AppError} `idempotency_mismatch`
   */
  create(input: NewTicket, request?: RepeatableRequest): Promise<FirstAnswer<Ticket>>;
  /** @throws {AppError} `not_found` */
  get(id: string): Promise<Ticket>;
  list(query: TicketQuery): Promise<TicketPage>;
  /**
   * Applies what `toChanges` makes of the current ticket. When another change comes first, `toChanges` is asked again
   * with its outcome, so that no change is lost.
   *
   * @throws {AppError} `not_found`, `precondition_failed` with the current ticket, and whatever `toChanges` throws
   */
  change(
    id: string,
    toChanges: (current: Ticket) => TicketChanges,
    precondition: Precondition,
  ): Promise<ChangeOutcome>;
  /** Resolves with the ticket as it was last. @throws {AppError} `not_found`, `precondition_failed` */
  remove(id: string, precondition: Precondition): Promise<Ticket>;
}

/** Of racing changes one succeeds each time, so this many losses in a row mean an absurd load on one ticket. */
const MAX_ATTEMPTS = 50;

export function createTickets({ store, now, newId }: TicketsDeps): Tickets {
  async function get(id: string): Promise<Ticket> {
    const ticket = await store.find(id);
    if (!ticket) throw new AppError('not_found', 'There is no ticket with this id.');
    return ticket;
  }

  /** Reads, checks and attempts until `attempt` wins the race for the version it saw. */
  async function settle<T>(
    id: string,
    precondition: Precondition,
    attempt: (current: Ticket) => Promise<T | undefined>,
  ) {
    for (let i = 0; i < MAX_ATTEMPTS; i++) {
      const current = await get(id);
      if (!precondition(current.version)) throw staleVersion(current);
      const outcome = await attempt(current);
      if (outcome !== undefined) return outcome;
    }
    throw new AppError('unavailable', 'Too many changes of this ticket at once; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }

  return {
    get,
    async create(input, request) {
      const at = now();
      const ticket = createTicket(input, { id: newId(), now: at });
      return toFirstAnswer(await store.insert(ticket, request && toRequestRecord(request, at)));
    },
    async list(query) {
      const found = await store.list({ ...query, limit: query.limit + 1 });
      return { tickets: found.slice(0, query.limit), hasMore: found.length > query.limit };
    },
    change: (id, toChanges, precondition) =>
      settle(id, precondition, async (current) => {
        const ticket = changeTicket(current, toChanges(current), { now: now() });
        if (ticket === current) return { ticket, hasChanged: false };
        return (await store.replace(ticket, current.version)) ? { ticket, hasChanged: true } : undefined;
      }),
    remove: (id, precondition) =>
      settle(id, precondition, async (current) =>
        (await store.remove(id, current.version)) ? current : undefined,
      ),
  };
}

/** The caller's copy is out of date; the answer carries the current ticket, so that it need not be fetched. */
export function staleVersion(current: Ticket): AppError {
  return new AppError(
    'precondition_failed',
    `The ticket has changed; it is at version ${current.version} now.`,
    {
      extensions: { current },
    },
  );
}
