import type { AuditRecord } from './audit-event.ts';
import { createRecordIds } from './record-id.ts';

const newId = createRecordIds();

/** Creates a record with a new id, by default at noon. */
export function exampleRecord(members: Partial<AuditRecord> = {}): AuditRecord {
  const at = members.at ?? new Date('2026-03-01T12:00:00.123Z');
  return {
    id: newId(at),
    type: 'token.issued',
    at,
    actor: 'client',
    accountId: null,
    clientId: 'client',
    address: '192.0.2.1',
    requestId: 'request-1',
    details: { grant_type: 'client_credentials' },
    ...members,
  };
}
