import type { FieldError } from '@keydesk/server';
import { toValidationError } from '../account/account-operations.ts';
import type { FactorStore } from './factor-store.ts';
import { createFactors, type FactorChanges, type Factors, updateFactors } from './factors.ts';

/** Looks like every other invalid response, because it must not disclose the accounts of passkeys. */
const taken: FieldError = { field: 'passkey', code: 'invalid', message: 'was not created; try again' };

/**
 * Reads, changes and writes the factors of an account; decides again when another call wrote them in between, so that
 * of several calls that redeem the same code exactly one succeeds.
 *
 * @param decide returns the changes, or nothing to write nothing
 * @returns the factors before and after; `undefined` if nothing was written
 * @throws {AppError} `validation_failed` if an added passkey belongs to another account (WebAuthn Level 3 §7.1, step 26)
 */
export async function changeFactors(
  store: Pick<FactorStore, 'find' | 'replace'>,
  accountId: string,
  decide: (factors: Factors) => FactorChanges | undefined | null,
): Promise<{ before: Factors; after: Factors } | undefined> {
  for (;;) {
    const before = (await store.find(accountId)) ?? createFactors(accountId);
    const changes = decide(before);
    if (!changes) return undefined;
    const after = updateFactors(before, changes);
    const outcome = await store.replace(after, before.version);
    if (outcome === 'replaced') return { before, after };
    if (outcome === 'passkey_taken') throw toValidationError([taken]);
  }
}

/** Ends the trust in every device of an account, after a change of its credentials. */
export async function endDeviceTrust(
  store: Pick<FactorStore, 'find' | 'replace'>,
  accountId: string,
): Promise<void> {
  await changeFactors(store, accountId, ({ trustedDevices }) =>
    trustedDevices.length > 0 ? { trustedDevices: [] } : undefined,
  );
}
