import type { Sqlite } from '@keydesk/storage/sqlite';
import {
  blockAfter,
  freeIndexes,
  MAX_STATUSES,
  STATUS_BLOCK,
  type TokenStatusStore,
} from '../../../token-status/token-status-store.ts';

/** SQL statements of the store, by name. */
export const tokenStatusSql = {
  findTaken: 'SELECT status_index AS i FROM artifacts WHERE status_index BETWEEN :first AND :last',
  listRevoked:
    'SELECT status_index AS i FROM artifacts WHERE revoked_at >= :since AND status_index IS NOT NULL',
  listOfClient: `SELECT status_index AS i FROM artifacts
                 WHERE client_id = :clientId AND grant_key IS NULL AND model = 'Grant' AND is_revoked = 0
                   AND status_index IS NOT NULL`,
};

const leaseSql = `UPDATE token_status_leases SET leased = leased + ${STATUS_BLOCK} RETURNING leased`;
const countSql = 'SELECT leased FROM token_status_leases';

/** Creates the store of token statuses in SQLite; the statuses are columns of grants. */
export function createSqliteTokenStatusStore({ prepare, readOne, write }: Sqlite): TokenStatusStore {
  const lease = prepare(leaseSql);
  const count = prepare(countSql);
  const findTaken = prepare(tokenStatusSql.findTaken);
  const listRevoked = prepare(tokenStatusSql.listRevoked);
  const listOfClient = prepare(tokenStatusSql.listOfClient);

  return {
    lease: () =>
      write(() => {
        const block = blockAfter(Number(lease.get()?.leased) - STATUS_BLOCK);
        return freeIndexes(block, toIndexes(findTaken.all(block)));
      }),
    countLeased: async () => Math.min(Number(readOne(() => count.get())?.leased), MAX_STATUSES),
    listRevoked: async (since) => toIndexes(readOne(() => listRevoked.all({ since: since.getTime() }))),
    listOfClient: async (clientId) => toIndexes(readOne(() => listOfClient.all({ clientId }))),
  };
}

function toIndexes(rows: readonly Readonly<Record<string, unknown>>[]): readonly number[] {
  return rows.map(({ i }) => Number(i));
}
