import { guardMongo } from '@keydesk/storage/mongo';
import type { ClientSession } from 'mongoose';
import type { CommitOutcome } from '../../helpdesk/commit/ticket-commit.ts';
import type { AuditedWrite } from '../../helpdesk/history/audited-write.ts';
import { createCommitOnce } from './commit-once.ts';
import { toEventDocument } from './event-model.ts';
import type { MongoModels } from './models.ts';

/** Calls `write` in one transaction with the event and the records of the request, as `CommitOnce` does. */
export type CommitAudited = (
  audited: AuditedWrite | undefined,
  write: (session: ClientSession) => Promise<boolean>,
) => Promise<CommitOutcome>;

export function createCommitAudited({
  events,
  records,
}: Pick<MongoModels, 'events' | 'records'>): CommitAudited {
  const commitOnce = createCommitOnce(records);
  return ({ event, request } = {}, write) =>
    guardMongo(() =>
      commitOnce(request, async (session) => {
        if (!(await write(session))) return false;
        if (event) await events.insertMany([toEventDocument(event)], { session });
        return true;
      }),
    );
}
