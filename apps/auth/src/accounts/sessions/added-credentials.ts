import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import { changeDocument } from '../credentials/change-document.ts';
import { changeFactors } from '../factors/change-factors.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { Factors } from '../factors/factors.ts';
import { createIdentities } from '../identities/identities.ts';
import type { IdentityStore } from '../identities/identity-store.ts';

export interface AddedCredentialsOptions {
  operations: Pick<AccountOperations, 'recordEvent'>;
  factors: Pick<FactorStore, 'find' | 'replace'>;
  storage: { identities: Pick<IdentityStore, 'find' | 'replace'> };
}

/**
 * Creates the function that removes every passkey, authenticator app, recovery code and identity added to an account
 * since. Resolves with whether there was any.
 */
export function createAddedCredentialsRemoval({
  operations,
  factors,
  storage: { identities },
}: AddedCredentialsOptions): (since: Date, accountId: string, origin: Origin) => Promise<boolean> {
  /** Removes the factors that the other person may have added, which would let them in again. */
  async function removeFactors(since: Date, accountId: string, origin: Origin): Promise<boolean> {
    const changed = await changeFactors(factors, accountId, (stored) => withoutFactorsSince(stored, since));
    if (!changed) return false;
    const { before, after } = changed;
    if (after.totp !== before.totp) await operations.recordEvent('account.totp_removed', accountId, origin);
    for (const _ of before.passkeys.slice(after.passkeys.length))
      await operations.recordEvent('account.passkey_removed', accountId, origin);
    return true;
  }

  /** Unlinks the identities at providers that the other person may have linked. */
  async function unlinkIdentities(since: Date, accountId: string, origin: Origin): Promise<boolean> {
    const changed = await changeDocument(identities, accountId, {
      create: createIdentities,
      decide({ identities: all }) {
        const earlier = all.filter(({ linkedAt }) => linkedAt < since);
        return earlier.length < all.length ? { identities: earlier } : undefined;
      },
    });
    const removed = changed?.before.identities.filter(({ linkedAt }) => linkedAt >= since) ?? [];
    for (const { providerId: provider } of removed)
      await operations.recordEvent('account.identity_unlinked', accountId, origin, { provider });
    return removed.length > 0;
  }

  return async function removeAddedCredentials(since, accountId, origin) {
    const hadFactors = await removeFactors(since, accountId, origin);
    const hadIdentities = await unlinkIdentities(since, accountId, origin);
    return hadFactors || hadIdentities;
  };
}

/** Returns the changes that remove the factors added since, if any. */
function withoutFactorsSince({ passkeys, totp, recoveryCodes }: Factors, since: Date) {
  const isEarlier = ({ createdAt }: { createdAt?: Date }) => createdAt === undefined || createdAt < since;
  const earlier = passkeys.filter(isEarlier);
  const isAppLater = totp !== null && !isEarlier(totp);
  const earlierCodes = isAppLater ? [] : recoveryCodes.filter(isEarlier);
  const areAllEarlier = earlier.length === passkeys.length && earlierCodes.length === recoveryCodes.length;
  if (areAllEarlier && !isAppLater) return undefined;
  return { passkeys: earlier, recoveryCodes: earlierCodes, ...(isAppLater && { totp: null }) };
}
