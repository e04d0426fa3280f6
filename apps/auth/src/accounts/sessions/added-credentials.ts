import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import { changeFactors } from '../factors/change-factors.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { Factors } from '../factors/factors.ts';
import { createIdentities, updateIdentities } from '../identities/identities.ts';
import type { IdentityStore } from '../identities/identity-store.ts';

export interface AddedCredentialsOptions {
  operations: Pick<AccountOperations, 'recordEvent'>;
  factors: Pick<FactorStore, 'find' | 'replace'>;
  storage: { identities: Pick<IdentityStore, 'find' | 'replace'> };
}

/** Creates the function that removes every passkey, authenticator app and identity added to an account since. */
export function createAddedCredentialsRemoval({
  operations,
  factors,
  storage: { identities },
}: AddedCredentialsOptions): (since: Date, accountId: string, origin: Origin) => Promise<void> {
  /** Removes the factors that the other person may have added, which would let them in again. */
  async function removeFactors(since: Date, accountId: string, origin: Origin): Promise<void> {
    const changed = await changeFactors(factors, accountId, (stored) => withoutFactorsSince(stored, since));
    if (!changed) return;
    const { before, after } = changed;
    if (after.totp !== before.totp) await operations.recordEvent('account.totp_removed', accountId, origin);
    for (const _ of before.passkeys.slice(after.passkeys.length))
      await operations.recordEvent('account.passkey_removed', accountId, origin);
  }

  /** Unlinks the identities at providers that the other person may have linked. */
  async function unlinkIdentities(since: Date, accountId: string, origin: Origin): Promise<void> {
    for (;;) {
      const stored = (await identities.find(accountId)) ?? createIdentities(accountId);
      const later = stored.identities.filter(({ linkedAt }) => linkedAt >= since);
      if (later.length === 0) return;
      const earlier = stored.identities.filter((each) => !later.includes(each));
      if ((await identities.replace(updateIdentities(stored, earlier), stored.version)) !== 'replaced')
        continue;
      for (const { providerId: provider } of later)
        await operations.recordEvent('account.identity_unlinked', accountId, origin, { provider });
      return;
    }
  }

  return async function removeAddedCredentials(since, accountId, origin) {
    await removeFactors(since, accountId, origin);
    await unlinkIdentities(since, accountId, origin);
  };
}

/** Returns the changes that remove the factors added since, if any. */
function withoutFactorsSince({ passkeys, totp }: Factors, since: Date) {
  const earlier = passkeys.filter(({ createdAt }) => createdAt < since);
  const isAppLater = totp !== null && totp.createdAt >= since;
  if (earlier.length === passkeys.length && !isAppLater) return undefined;
  return { passkeys: earlier, ...(isAppLater && { totp: null, recoveryCodes: [] }) };
}
