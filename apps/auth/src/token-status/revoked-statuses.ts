import type { Account } from '../accounts/account/account.ts';
import type { AccountStore } from '../accounts/account/account-store.ts';
import { isSignInStillValid } from '../accounts/account/credential-epoch.ts';
import { openPayload } from '../artifacts/artifact-payload.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { findCredentialEpoch } from '../artifacts/credential-epochs.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Sealer } from '../keys/sealing.ts';
import type { TokenStatusStore } from './token-status-store.ts';

export interface RevokedStatusesOptions {
  statuses: Pick<TokenStatusStore, 'listRevoked' | 'listOfClient'>;
  accounts: Pick<AccountStore, 'listSignInsEnded'>;
  clients: Pick<ClientStore, 'listDisabled'>;
  artifacts: Pick<ArtifactStore, 'findByAccount'>;
  sealer: Pick<Sealer, 'open'>;
  now: () => Date;
}

/** Longest lifetime of access tokens that the settings allow, plus clock skew. */
export const MAX_TOKEN_LIFETIME_MS = 960_000;

/**
 * Creates the query for the statuses of all revoked tokens that may not have expired yet, in ascending order. It reads
 * what the revocations themselves have written, so a process that is killed right after one loses nothing.
 *
 * Ended sign-ins and disabled clients are listed by their account and client as well: the grants of an account are
 * marked after the account has changed, and those of a client that may be enabled again are never marked.
 */
export function createRevokedStatuses(options: RevokedStatusesOptions): () => Promise<readonly number[]> {
  const { statuses, accounts, clients, artifacts, sealer, now } = options;

  async function listOfAccount(account: Account): Promise<readonly number[]> {
    const grants = await artifacts.findByAccount('Grant', account.id, now());
    return grants.flatMap((grant) => {
      const isValid = isSignInStillValid(account, findCredentialEpoch(openPayload(sealer, grant)));
      return isValid ? [] : (grant.statusIndex ?? []);
    });
  }

  async function listOfAccounts(since: Date): Promise<readonly number[]> {
    const ended = await accounts.listSignInsEnded(since);
    return (await Promise.all(ended.map(listOfAccount))).flat();
  }

  async function listOfClients(since: Date): Promise<readonly number[]> {
    const disabled = await clients.listDisabled(since);
    return (await Promise.all(disabled.map(statuses.listOfClient))).flat();
  }

  return async function listRevokedStatuses() {
    const since = new Date(now().getTime() - MAX_TOKEN_LIFETIME_MS);
    const sources = [statuses.listRevoked(since), listOfAccounts(since), listOfClients(since)];
    const indexes = new Set((await Promise.all(sources)).flat());
    return [...indexes].sort((a, b) => a - b);
  };
}
