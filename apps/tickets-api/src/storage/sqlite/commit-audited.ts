import type { Sqlite } from '@keydesk/storage/sqlite';
import type { CommitOutcome } from '../../helpdesk/commit/ticket-commit.ts';
import type { AuditedWrite } from '../../helpdesk/history/audited-write.ts';
import { createCommitOnce } from './commit-once.ts';
import { createEventWriter } from './event-store.ts';

/** Calls `write` in one transaction with the event and the records of the request, as `CommitOnce` does. */
export type CommitAudited = (audited: AuditedWrite | undefined, write: () => void) => Promise<CommitOutcome>;

export function createCommitAudited(sqlite: Sqlite): CommitAudited {
  const commitOnce = createCommitOnce(sqlite);
  const addEvents = createEventWriter(sqlite);
  return ({ event, request } = {}, write) =>
    commitOnce(request, () => {
      write();
      if (event) addEvents(null, [event]);
    });
}
