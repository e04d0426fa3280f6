import { AppError } from '@keydesk/errors';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import type { TicketChange } from '../commit/to-commit.ts';
import type { Viewer } from '../people/viewer.ts';
import type { Ticket } from './ticket.ts';
import type { TicketStore } from './ticket-store.ts';

/** Error for an external id that another ticket of the client has. */
export class ExternalIdInUse extends AppError {
  readonly ticket: Pick<Ticket, 'id' | 'deleted_at'>;

  constructor(ticket: Pick<Ticket, 'id' | 'deleted_at'>) {
    const isDeleted = ticket.deleted_at !== null;
    super(
      'external_id_in_use',
      isDeleted
        ? `A deleted ticket has this external id; restore it with POST /ticket/${ticket.id}/restore, or purge it to free the id.`
        : `Another ticket of this client has this external id; edit it, or send another external_id.`,
    );
    this.ticket = ticket;
  }
}

/**
 * Checks that the external id of a changed ticket is unique within its client.
 *
 * @throws {AppError} `external_id_in_use`; `conflict` for the claim of another client
 */
export async function assertExternalId(
  store: Pick<TicketStore, 'findByExternalId'>,
  { before, after, claimant = before?.externalIdClient }: TicketChange,
): Promise<void> {
  if (claimant === undefined || !after) return;
  const { id, external_id } = after;
  if (claimant !== (before?.externalIdClient ?? claimant)) throw claimedByAnother();
  if (external_id === null) return;
  const holder = await store.findByExternalId(claimant, external_id);
  if (holder && holder.ticket.id !== id) throw new ExternalIdInUse(holder.ticket);
}

/**
 * Returns the client that claims the external id of a ticket; `undefined` if the request does not claim it.
 *
 * @throws {AppError} `validation_failed` when the ticket has no external id
 */
export function toClaimant(
  { clientId }: Viewer,
  isUnique: boolean,
  { external_id }: Ticket,
): string | undefined {
  if (!isUnique) return undefined;
  if (external_id !== null) return clientId;
  const message = 'is required with external_id_unique=true';
  throw invalidData([{ field: 'external_id', code: 'required', message }]);
}

function claimedByAnother(): AppError {
  return new AppError(
    'conflict',
    'The external id of this ticket is unique within another client; omit external_id_unique.',
  );
}
