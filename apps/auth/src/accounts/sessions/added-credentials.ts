import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { Credentials } from '../credentials/credential-store.ts';
import type { Factors } from '../factors/factors.ts';

/** Returns the credentials without every passkey, authenticator app, recovery code and identity added since. */
export function withoutAddedSince(stored: Credentials, since: Date): Credentials {
  const identities = stored.identities.identities.filter(({ linkedAt }) => linkedAt < since);
  return {
    ...stored,
    factors: withoutFactorsSince(stored.factors, since),
    identities: { ...stored.identities, identities },
  };
}

function withoutFactorsSince(factors: Factors, since: Date): Factors {
  const isEarlier = ({ createdAt }: { createdAt?: Date }) => createdAt === undefined || createdAt < since;
  const isAppEarlier = factors.totp === null || isEarlier(factors.totp);
  return {
    ...factors,
    totp: isAppEarlier ? factors.totp : null,
    recoveryCodes: isAppEarlier ? factors.recoveryCodes.filter(isEarlier) : [],
    passkeys: factors.passkeys.filter(isEarlier),
  };
}

/** Records which credentials of an account were removed. */
export async function recordRemovals(
  { recordEvent }: Pick<AccountOperations, 'recordEvent'>,
  { before, after }: { before: Credentials; after: Credentials },
  origin: Origin,
): Promise<void> {
  const { id } = after.account;
  if (after.factors.totp !== before.factors.totp) await recordEvent('account.totp_removed', id, origin);
  else if (after.factors.recoveryCodes.length < before.factors.recoveryCodes.length)
    await recordEvent('account.recovery_codes_removed', id, origin);
  for (const _ of before.factors.passkeys.slice(after.factors.passkeys.length))
    await recordEvent('account.passkey_removed', id, origin);
  for (const { id: identityId, providerId: provider } of before.identities.identities)
    if (!after.identities.identities.some((each) => each.id === identityId))
      await recordEvent('account.identity_unlinked', id, origin, { provider });
}
