import type { AccountsOptions } from '../accounts/accounts.ts';
import { createPurgeAnnouncement } from './security-events.ts';
import type { SharedDeps } from './shared-deps.ts';

type RemovalDeps = Pick<SharedDeps, 'storage' | 'now'> & {
  config: Pick<SharedDeps['config'], 'accountDeletionDays' | 'securityEventRetentionDays'>;
};

/** Consequences of the deletion of an account for its other data. */
export function createRemoval(
  deps: RemovalDeps,
): Pick<AccountsOptions, 'eraseAddresses' | 'announcePurge' | 'removeCredentials' | 'deletionDays'> {
  const { config, storage } = deps;
  return {
    eraseAddresses: storage.audit.deleteEmailAddresses,
    announcePurge: createPurgeAnnouncement(deps),
    async removeCredentials(accountId) {
      await storage.factors.remove(accountId);
      await storage.identities.remove(accountId);
    },
    deletionDays: config.accountDeletionDays,
  };
}
