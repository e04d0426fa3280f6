import type { Expiring } from '../provider/purge.ts';
import type { AuditStore } from './audit-store.ts';

const ONE_DAY_MS = 86_400_000;

/** The audit record as a store for the purge job: records expire at an age; 0 days keeps them for good. */
export function expireAudit(store: Pick<AuditStore, 'prune'>, retentionDays: number): Expiring {
  return {
    purgeExpired: async (now, limit) =>
      retentionDays === 0 ? 0 : store.prune(new Date(now.getTime() - retentionDays * ONE_DAY_MS), limit),
  };
}
