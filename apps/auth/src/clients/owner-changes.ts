import type { Client } from './client.ts';
import type { ClientChanges, ClientChangesOptions } from './client-changes.ts';
import {
  addCoOwner,
  addInvitation,
  answerInvitation,
  changeOwner,
  type InvitationDraft,
  type InvitedReader,
  isCoOwner,
  removeCoOwner,
  withdrawInvitation,
  withdrawInvitationsOf,
} from './co-ownership.ts';

/** An answer to an invitation. */
export interface InvitationAnswer {
  /** Digest of the token in the mail. */
  digest: string;
  answer: 'accepted' | 'declined';
}

export interface ChangeOwnerOptions {
  /** Clients that the account may own; without it, any number. */
  limit?: number | undefined;
  /** Whether the former owner becomes a co-owner, which is the default. */
  formerStays?: boolean | undefined;
}

/** A client that another account owns now, as it is and as it was. */
export interface HandedOver {
  client: Client;
  former: Client;
}

/** What became of a client when one of its owners was shut out. */
export interface Retired extends HandedOver {
  outcome: 'handed_over' | 'disabled' | 'co_owner_removed' | 'unchanged';
}

/**
 * Changes of the owners of a client, each one version of it: of several racers one succeeds. What makes an account an
 * owner or co-owner rejects with `AppError('conflict')`, code `account_closed`, when it is being disabled or removed.
 */
export interface OwnerChanges {
  /** The clients that an account co-owns, in order of registration. */
  listCoOwned(accountId: string): AsyncIterable<Client>;
  /** @throws {AppError} `conflict` with the code `already_invited` or `co_owners_full` */
  invite(id: string, draft: InvitationDraft): Promise<Client>;
  /** @throws {AppError} `not_found` when the invitation is not pending */
  withdrawInvitation(id: string, invitationId: string): Promise<Client>;
  /** @throws {AppError} `conflict` with the state of the invitation as code, unless that is `pending` */
  answerInvitation(id: string, answer: InvitationAnswer, reader: InvitedReader): Promise<Client>;
  /** @throws {AppError} `conflict` with the code `already_owner` or `co_owners_full` */
  addCoOwner(id: string, accountId: string): Promise<Client>;
  /** Withdraws their invitations too. @throws {AppError} `not_found` when the account is no co-owner */
  removeCoOwner(id: string, accountId: string): Promise<Client>;
  /**
   * Makes an account the owner. The verified mark ends, and with it what was requested.
   *
   * @throws {AppError} `conflict` with the code `already_owner`, `co_owners_full` or `quota_reached`
   */
  changeOwner(id: string, accountId: string, options?: ChangeOwnerOptions): Promise<HandedOver>;
  /**
   * Takes an account that may not sign in any more out of the owners. A client passes from its owner to the co-owner who
   * joined first of those that `isActive`; without one it is disabled and keeps its owner.
   */
  retire(id: string, accountId: string, isActive: (accountId: string) => Promise<boolean>): Promise<Retired>;
}

export type OwnerChangesDeps = Pick<ClientChanges, 'get' | 'change'> &
  Pick<ClientChangesOptions, 'store' | 'clock'>;

export function createOwnerChanges(deps: OwnerChangesDeps): Omit<OwnerChanges, 'listCoOwned'> {
  const { change } = deps;
  return {
    invite: (id, draft) => change(id, (client, now) => addInvitation(client, draft, now)),
    withdrawInvitation: (id, invitationId) =>
      change(id, (client) => withdrawInvitation(client, invitationId)),
    answerInvitation: (id, answer, reader) =>
      change(id, (client, now) => answerInvitation(client, answer, reader, now), { account: reader.id }),
    addCoOwner: (id, accountId) =>
      change(id, (client, now) => addCoOwner(client, accountId, now), { account: accountId }),
    removeCoOwner: (id, accountId) => change(id, (client) => removeCoOwner(client, accountId)),
    async changeOwner(id, accountId, { limit, formerStays = true } = {}) {
      let former: Client | undefined;
      const toNext = (stored: Client, now: Date) => {
        former = stored;
        return changeOwner(stored, { to: accountId, formerStays }, now);
      };
      const client = await change(id, toNext, { account: accountId, limit });
      return { client, former: former ?? client };
    },
    retire: createRetirement(deps),
  };
}

function createRetirement({ store, get, clock }: OwnerChangesDeps): OwnerChanges['retire'] {
  async function write({ client, former, outcome }: Retired) {
    if (outcome === 'handed_over' && client.owner !== null)
      return store.replaceFor(client, former.version, { account: client.owner });
    return (await store.replace(client, former.version)) ? 'replaced' : 'stale';
  }

  return async function retire(id, accountId, isActive) {
    const closed = new Set<string>();
    const isEligible = async (heir: string) => !closed.has(heir) && (await isActive(heir));
    for (;;) {
      const former = await get(id);
      const heir = await findHeir(former, isEligible);
      const retired = toRetired(former, { accountId, heir, now: new Date(clock()) });
      if (retired.outcome === 'unchanged') return retired;
      const written = await write(retired);
      if (written === 'replaced') return retired;
      if (written === 'closed' && heir !== undefined) closed.add(heir);
    }
  };
}

/** The co-owner who joined first of those who can look after the client. */
async function findHeir(
  { coOwners }: Client,
  isEligible: (accountId: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const { accountId } of coOwners) if (await isEligible(accountId)) return accountId;
  return undefined;
}

function toRetired(
  former: Client,
  { accountId, heir, now }: { accountId: string; heir: string | undefined; now: Date },
): Retired {
  const changed = (outcome: Retired['outcome'], next: Client): Retired => ({
    client: { ...next, updatedAt: now, version: former.version + 1 },
    former,
    outcome,
  });
  if (former.owner !== accountId)
    return isCoOwner(former, accountId)
      ? changed('co_owner_removed', removeCoOwner(former, accountId))
      : { client: former, former, outcome: 'unchanged' };
  if (heir !== undefined)
    return changed('handed_over', changeOwner(former, { to: heir, formerStays: false }, now));
  return former.status === 'disabled'
    ? { client: former, former, outcome: 'unchanged' }
    : changed('disabled', { ...withdrawInvitationsOf(former, accountId), status: 'disabled' });
}
