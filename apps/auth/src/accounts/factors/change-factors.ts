import type { FieldError } from '@keydesk/server';
import {
  type AccountOperations,
  type SignInOwner,
  toValidationError,
} from '../account/account-operations.ts';
import { changeDocument } from '../credentials/change-document.ts';
import type { FactorStore } from './factor-store.ts';
import { createFactors, type FactorChanges, type Factors } from './factors.ts';

export interface OwnFactorsOptions {
  operations: Pick<AccountOperations, 'requireCurrentSignIn'>;
  factors: Pick<FactorStore, 'find' | 'replace'>;
}

/** Looks like every other invalid response, because it must not disclose the accounts of passkeys. */
const taken: FieldError = { field: 'passkey', code: 'invalid', message: 'was not created; try again' };

/**
 * Reads, changes and writes the factors of an account; decides again when another call wrote them in between, so that
 * of several calls that redeem the same code exactly one succeeds.
 *
 * @param decide returns the changes, or nothing to write nothing
 * @param confirm runs between the read and the write; rejects to write nothing
 * @returns the factors before and after; `undefined` if nothing was written
 * @throws {AppError} `validation_failed` if an added passkey belongs to another account (WebAuthn Level 3 §7.1, step 26)
 */
export async function changeFactors(
  store: Pick<FactorStore, 'find' | 'replace'>,
  accountId: string,
  decide: (factors: Factors) => FactorChanges | undefined | null,
  confirm?: () => Promise<void>,
): Promise<{ before: Factors; after: Factors } | undefined> {
  const changed = await changeDocument(store, accountId, { create: createFactors, decide, confirm });
  if (changed?.outcome === 'passkey_taken') throw toValidationError([taken]);
  return changed;
}

/**
 * Changes the factors of an account as `changeFactors` does, by a sign-in that must not have ended.
 *
 * @throws {AppError} as `changeFactors`, or `forbidden` with the code `sign_in_ended`
 */
export function changeOwnFactors(
  { operations, factors }: OwnFactorsOptions,
  owner: SignInOwner,
  decide: (factors: Factors) => FactorChanges | undefined | null,
): Promise<{ before: Factors; after: Factors } | undefined> {
  return changeFactors(factors, owner.id, decide, () => operations.requireCurrentSignIn(owner));
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
