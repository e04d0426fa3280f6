import { AppError } from '@keydesk/errors';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import { planCreation } from '../commit/plan-creation.ts';
import { applyChanges } from '../commit/ticket-changes.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Plan } from '../commit/ticket-writer.ts';
import { toChangeAuthor, type Viewer } from '../people/viewer.ts';
import type { ToChanges } from './edits.ts';
import { ExternalIdInUse } from './external-id.ts';
import { assertStaff } from './permissions.ts';
import type { NewTicket, Ticket } from './ticket.ts';
import type { TicketStore } from './ticket-store.ts';
import type { ChangeOutcome, Precondition, TicketsDeps } from './tickets.ts';
import { assertExpected, toTicketView } from './visibility.ts';

/** Edit of the ticket that has an external id. */
export interface ExternalEdit {
  /** Returns the ticket to add if none has the external id. @throws {AppError} `validation_failed` */
  toNew(): NewTicket;
  /** Whether the request may add a ticket. */
  mayCreate: boolean;
  toChanges: ToChanges;
  precondition: Precondition;
}

/** Operations of staff on tickets by external ids, which are unique within the client of the request. */
export interface ExternalTickets {
  /** @throws {AppError} `forbidden`, `not_found` */
  get(viewer: Viewer, externalId: string, isDeleted?: boolean): Promise<Ticket>;
  /**
   * Adds or edits the ticket with this external id. Of racing requests one adds the ticket and the others edit it.
   *
   * @throws {AppError} `external_id_in_use` when the ticket is deleted; `precondition_failed`, and as `Tickets.create` and
   * `Tickets.change`
   */
  put(
    viewer: Viewer,
    externalId: string,
    edit: ExternalEdit,
    requests: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
}

export interface ExternalTicketsDeps extends Pick<TicketsDeps, 'writer' | 'people' | 'newId'> {
  store: Pick<TicketStore, 'find' | 'findByExternalId'>;
}

export function createExternalTickets(deps: ExternalTicketsDeps): ExternalTickets {
  const { store, writer, people } = deps;

  async function planEdit(
    viewer: Viewer,
    found: TicketRecord,
    { toChanges, precondition }: ExternalEdit,
    now: Date,
  ): Promise<Plan<Ticket>> {
    if (found.ticket.deleted_at !== null) throw new ExternalIdInUse(found.ticket);
    const before = assertExpected(viewer, found, precondition);
    const after = await applyChanges({ store, people, viewer }, before, toChanges, now);
    const toAnswer = ([record]: readonly (TicketRecord | undefined)[]) =>
      toTicketView(viewer, record ?? before);
    return { changes: [{ before, after }], by: toChangeAuthor(viewer), toAnswer };
  }

  async function planAddition(viewer: Viewer, edit: ExternalEdit, now: Date): Promise<Plan<Ticket>> {
    if (!edit.mayCreate) throw nothingToMatch();
    return planCreation(deps, viewer, edit.toNew(), { now, isUnique: true });
  }

  return {
    async get(viewer, externalId, isDeleted = false) {
      assertStaff(viewer, 'find tickets by external ids');
      const record = await store.findByExternalId(viewer.clientId, externalId);
      if (!record || (record.ticket.deleted_at !== null && !isDeleted)) throw noSuchTicket();
      return toTicketView(viewer, record);
    },
    async put(viewer, externalId, edit, requests) {
      assertStaff(viewer, 'set external ids');
      const find = () => store.findByExternalId(viewer.clientId, externalId);
      const known = await find();
      const decide = async (now: Date) => {
        const found = await find();
        return found ? planEdit(viewer, found, edit, now) : planAddition(viewer, edit, now);
      };
      const { answer, ...result } = await writer.commitPlan(known ? [known.ticket.id] : [], decide, requests);
      return { ticket: answer, ...result };
    },
  };
}

function noSuchTicket(): AppError {
  return new AppError(
    'not_found',
    'No ticket has this external id within this client; use PUT to add one, or GET /tickets?external_id= to find those of all clients.',
  );
}

function nothingToMatch(): AppError {
  return new AppError(
    'precondition_failed',
    'No ticket has this external id within this client; omit If-Match to add one.',
  );
}
