import type { AccountOperations } from '../account/account-operations.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import { createFactors } from '../factors/factors.ts';
import { createIdentities } from '../identities/identities.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { CredentialStore, Credentials } from './credential-store.ts';

export interface CredentialChangeOptions {
  operations: Pick<AccountOperations, 'get'>;
  storage: {
    factors: Pick<FactorStore, 'find'>;
    identities: Pick<IdentityStore, 'find'>;
    credentials: CredentialStore;
  };
}

/** Reads all credentials of an account. @throws {AppError} `not_found` */
export async function readCredentials(
  { operations, storage }: CredentialChangeOptions,
  accountId: string,
): Promise<Credentials> {
  const [account, factors, identities] = await Promise.all([
    operations.get(accountId),
    storage.factors.find(accountId),
    storage.identities.find(accountId),
  ]);
  return {
    account,
    factors: factors ?? createFactors(accountId),
    identities: identities ?? createIdentities(accountId),
  };
}

/**
 * Reads, changes and writes all credentials of an account at once; decides again when another call wrote any of them in
 * between, or another account has taken the address.
 *
 * @param decide returns what remains, not yet as the next versions, or nothing to write nothing
 * @returns the credentials before and after; `undefined` if nothing was written
 * @throws {AppError} `not_found`
 */
export async function changeCredentials<Decided extends Credentials | undefined>(
  options: CredentialChangeOptions,
  accountId: string,
  decide: (stored: Credentials) => Promise<Decided> | Decided,
): Promise<{ before: Credentials; after: Credentials } | Extract<Decided, undefined>> {
  for (;;) {
    const before = await readCredentials(options, accountId);
    const decided = await decide(before);
    if (!decided) return undefined as Extract<Decided, undefined>;
    const after = toNextVersions(before, decided);
    if ((await options.storage.credentials.replaceAll(after)) === 'replaced') return { before, after };
  }
}

/**
 * Returns the credentials of an account whose owner has proved control of the mailbox. If the address was not verified
 * before, a stranger may have opened the account, and nothing else by which to get in remains (account pre-hijacking).
 */
export function withProvenEmail({ account, ...others }: Credentials): Credentials {
  const { id, emailVerified } = account;
  if (emailVerified) return { account, ...others };
  return {
    account: { ...account, emailVerified: true },
    factors: createFactors(id),
    identities: createIdentities(id),
  };
}

/**
 * Returns the next versions of all documents. Even an unchanged one gets another version, so that a concurrent change of
 * it, such as a removal of the last other way to sign in, has to decide again.
 */
function toNextVersions(stored: Credentials, { account, factors, identities }: Credentials): Credentials {
  return {
    account: { ...account, version: stored.account.version + 1 },
    factors: { ...factors, version: stored.factors.version + 1 },
    identities: { ...identities, version: stored.identities.version + 1 },
  };
}
