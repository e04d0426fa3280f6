import type { Sqlite } from '@keydesk/storage/sqlite';
import type { TicketRecord } from '../../helpdesk/commit/ticket-commit.ts';

/** Whether another ticket has the external id of this one within its client, checked within the transaction of a write. */
export type IsClaimed = (record: TicketRecord) => boolean;

export function createClaimCheck({ prepare }: Sqlite): IsClaimed {
  const selectOther = prepare(`
    SELECT 1 FROM tickets INDEXED BY tickets_by_external_id_client
    WHERE external_id_client = ? AND external_id = ? AND id <> ?`);
  return ({ externalIdClient, ticket: { id, external_id } }) =>
    externalIdClient !== undefined && selectOther.get(externalIdClient, external_id, id) !== undefined;
}
