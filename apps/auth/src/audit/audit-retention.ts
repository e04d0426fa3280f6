import type { ExpiringStore } from '../artifacts/purge.ts';
import type { AuditStore } from './audit-store.ts';

const ONE_DAY_MS = 86_400_000;

/**
 * Makes the audit log a store for the purge job: records expire after the retention period; 0 days keeps them forever.
 */
export function createAuditRetention(store: Pick<AuditStore, 'prune'>, retentionDays: number): ExpiringStore {
  return {
    purgeExpired: async (now, limit) =>
      retentionDays === 0 ? 0 : store.prune(new Date(now.getTime() - retentionDays * ONE_DAY_MS), limit),
  };
}
