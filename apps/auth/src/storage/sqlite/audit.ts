import type { Sqlite } from '@keydesk/storage/sqlite';
import {
  type AuditEventType,
  type AuditRecord,
  auditEventTypes,
  typesWithEmailAddresses,
} from '../../audit/audit-event.ts';
import type { AuditPage, AuditStore } from '../../audit/audit-store.ts';
import { firstIdAt } from '../../audit/record-id.ts';
import { idRangeOf } from '../audit-range.ts';

const inRange = 'id >= :from AND id < :to ORDER BY id DESC LIMIT :limit';

/** SQL statements of the store, by name. Each list has an index that starts with its filter. */
export const auditSql = {
  insert: `INSERT INTO audit_records (id, at, type, actor, account_id, client_id, address, request_id, details)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  list: `SELECT * FROM audit_records WHERE ${inRange}`,
  listOfType: `SELECT * FROM audit_records WHERE type = :type AND ${inRange}`,
  listOfAccount: `SELECT * FROM audit_records WHERE account_id = :accountId AND type = :type AND ${inRange}`,
  listOfClient: `SELECT * FROM audit_records WHERE client_id = :clientId AND type = :type AND ${inRange}`,
  listOfBoth: `SELECT * FROM audit_records
               WHERE account_id = :accountId AND client_id = :clientId AND type = :type AND ${inRange}`,
  deleteEmailAddresses: `UPDATE audit_records SET details = '{}' WHERE account_id = :accountId AND type = :type`,
  prune: `DELETE FROM audit_records WHERE id IN
            (SELECT id FROM audit_records WHERE id < :end ORDER BY id LIMIT :limit)`,
};

/** Creates the audit store in SQLite. */
export function createSqliteAuditStore({ prepare, read, write }: Sqlite): AuditStore {
  const insert = prepare(auditSql.insert);
  const list = prepare(auditSql.list);
  const deleteEmailAddresses = prepare(auditSql.deleteEmailAddresses);
  const prune = prepare(auditSql.prune);
  const filtered = {
    type: prepare(auditSql.listOfType),
    account: prepare(auditSql.listOfAccount),
    client: prepare(auditSql.listOfClient),
    both: prepare(auditSql.listOfBoth),
  };

  /** Merges the newest records of each type, so that a rare event is found quickly among millions of others. */
  function listByTypes(types: readonly AuditEventType[], page: AuditPage): Row[] {
    const { accountId, clientId, limit } = page;
    const ids = {
      ...(accountId !== undefined && { accountId }),
      ...(clientId !== undefined && { clientId }),
    };
    const statement = filtered[filterOf(page)];
    const range = idRangeOf(page);
    const found = types.flatMap(
      (type) => statement.all({ ...ids, ...range, type, limit }) as unknown as Row[],
    );
    return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  }

  return {
    async append(records) {
      await write(() => {
        for (const record of records) insert.run(...toValues(record));
      });
    },
    async list(page) {
      const { types, limit } = page;
      const rows = read(() =>
        types === undefined && filterOf(page) === 'type'
          ? (list.all({ ...idRangeOf(page), limit }) as unknown as Row[])
          : listByTypes(types ?? auditEventTypes, page),
      );
      return rows.map(toRecord);
    },
    deleteEmailAddresses: (accountId) =>
      write(() => {
        for (const type of typesWithEmailAddresses) deleteEmailAddresses.run({ accountId, type });
      }),
    prune: (before, limit) => write(() => Number(prune.run({ end: firstIdAt(before), limit }).changes)),
  };
}

function filterOf({ accountId, clientId }: AuditPage): 'type' | 'account' | 'client' | 'both' {
  if (accountId === undefined) return clientId === undefined ? 'type' : 'client';
  return clientId === undefined ? 'account' : 'both';
}

interface Row extends Pick<AuditRecord, 'id' | 'type' | 'actor' | 'address'> {
  at: number;
  account_id: string | null;
  client_id: string | null;
  request_id: string | null;
  details: string;
}

function toValues({ id, at, type, details, ...parties }: AuditRecord) {
  const { actor, accountId, clientId, address, requestId } = parties;
  return [id, at.getTime(), type, actor, accountId, clientId, address, requestId, JSON.stringify(details)];
}

function toRecord(row: Row): AuditRecord {
  const { id, type, actor, address, account_id, client_id, request_id } = row;
  const at = new Date(row.at);
  const details = JSON.parse(row.details) as AuditRecord['details'];
  return {
    id,
    type,
    at,
    actor,
    accountId: account_id,
    clientId: client_id,
    address,
    requestId: request_id,
    details,
  };
}
