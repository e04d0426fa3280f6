import type { RecordedRequest } from '../commit/ticket-commit.ts';
import type { EventRecord } from './audit-event.ts';

/** Event and request record that are written in one transaction with a change of a definition. */
export interface AuditedWrite {
  readonly event?: EventRecord | undefined;
  readonly request?: RecordedRequest | undefined;
}
