import type { Sqlite } from '@keydesk/storage/sqlite';
import type { SecurityEvent } from '../../security-events/security-event.ts';
import type { SecurityEventStore } from '../../security-events/security-event-store.ts';

/** SQL statements of the store, by name. */
export const securityEventSql = {
  insert: `INSERT INTO security_events
             (id, receiver, type, account_id, occurred_at, available_at, expires_at, rejection)
           VALUES (:id, :receiver, :type, :accountId, :occurredAt, :availableAt, :expiresAt, :rejection)`,
  listDue: `SELECT * FROM security_events WHERE receiver = :receiver AND rejection IS NULL
              AND available_at <= :now AND expires_at > :now ORDER BY id LIMIT :limit`,
  acknowledge: 'DELETE FROM security_events WHERE id = :id AND receiver = :receiver RETURNING *',
  reject: `UPDATE security_events SET rejection = :code
           WHERE id = :id AND receiver = :receiver AND rejection IS NULL RETURNING *`,
  retry: 'UPDATE security_events SET rejection = NULL WHERE id = ? AND rejection IS NOT NULL',
  list: 'SELECT * FROM security_events WHERE id > ? ORDER BY id LIMIT ?',
  purgeExpired: `DELETE FROM security_events WHERE id IN
                   (SELECT id FROM security_events WHERE expires_at <= :now LIMIT :limit)`,
};

/** Creates the queue of security events in SQLite. */
export function createSqliteSecurityEventStore({ prepare, readOne, write }: Sqlite): SecurityEventStore {
  const insert = prepare(securityEventSql.insert);
  const listDue = prepare(securityEventSql.listDue);
  const acknowledge = prepare(securityEventSql.acknowledge);
  const reject = prepare(securityEventSql.reject);
  const retry = prepare(securityEventSql.retry);
  const list = prepare(securityEventSql.list);
  const purgeExpired = prepare(securityEventSql.purgeExpired);

  return {
    append: (events) =>
      write(() => {
        for (const event of events) insert.run(toValues(event));
      }),
    listDue: async (receiver, now, limit) =>
      readOne(() => listDue.all({ receiver, now: now.getTime(), limit })).map(toEvent),
    acknowledge: (receiver, ids) =>
      write(() => ids.flatMap((id) => acknowledge.all({ id, receiver }).map(toEvent))),
    reject: (receiver, id, code) => write(() => reject.all({ id, receiver, code }).map(toEvent).at(0)),
    retry: (id) => write(() => retry.run(id).changes === 1),
    list: async ({ afterId = '', limit }) => readOne(() => list.all(afterId, limit)).map(toEvent),
    purgeExpired: (now, limit) =>
      write(() => Number(purgeExpired.run({ now: now.getTime(), limit }).changes)),
  };
}

function toValues({ occurredAt, availableAt, expiresAt, ...members }: SecurityEvent) {
  return {
    ...members,
    occurredAt: occurredAt.getTime(),
    availableAt: availableAt.getTime(),
    expiresAt: expiresAt.getTime(),
  };
}

type Row = Pick<SecurityEvent, 'id' | 'receiver' | 'type' | 'rejection'> & {
  account_id: string;
  occurred_at: number;
  available_at: number;
  expires_at: number;
};

function toEvent(row: Record<string, unknown>): SecurityEvent {
  const { id, receiver, type, rejection, account_id, ...times } = row as unknown as Row;
  return {
    id,
    receiver,
    type,
    accountId: account_id,
    occurredAt: new Date(times.occurred_at),
    availableAt: new Date(times.available_at),
    expiresAt: new Date(times.expires_at),
    rejection,
  };
}
