import type { Client } from '../client.ts';
import type { ClientChanges, ClientChangesOptions } from '../client-changes.ts';
import {
  addCoOwner,
  addInvitation,
  answerInvitation,
  changeOwner,
  type InvitationDraft,
  type Invitee,
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

/** A client after and before a change of its owner. */
export interface HandedOver {
  client: Client;
  former: Client;
}

/** Outcome for a client of which an owner or co-owner was disabled or removed. */
export interface Retired extends HandedOver {
  outcome: 'handed_over' | 'disabled' | 'co_owner_removed' | 'unchanged';
}

/**
 * Changes the owners of a client. Each change is one version, so one of several concurrent calls succeeds. Methods that
 * make an account an owner or co-owner reject with `AppError('conflict')`, code `account_closed`, while the account is
 * being disabled or removed.
 */
export interface OwnerChanges {
  /** Lists the clients that an account co-owns, in order of registration. */
  listCoOwned(accountId: string): AsyncIterable<Client>;
  /** @throws {AppError} `conflict` with the code `already_invited` or `co_owners_full` */
  invite(id: string, draft: InvitationDraft): Promise<Client>;
  /** @throws {AppError} `not_found` if the invitation is not pending */
  withdrawInvitation(id: string, invitationId: string): Promise<Client>;
  /** @throws {AppError} `conflict` with the state of the invitation as code, unless the state is `pending` */
  answerInvitation(id: string, answer: InvitationAnswer, invitee: Invitee): Promise<Client>;
  /** @throws {AppError} `conflict` with the code `already_owner` or `co_owners_full` */
  addCoOwner(id: string, accountId: string): Promise<Client>;
  /** Removes a co-owner and withdraws their invitations. @throws {AppError} `not_found` if the account is not a co-owner */
  removeCoOwner(id: string, accountId: string): Promise<Client>;
  /**
   * Makes an account the owner. Ends the verification and withdraws pending trust requests.
   *
   * @throws {AppError} `conflict` with the code `already_owner`, `co_owners_full` or `quota_reached`
   */
  changeOwner(id: string, accountId: string, options?: ChangeOwnerOptions): Promise<HandedOver>;
  /**
   * Removes a disabled account from the owners. The first active co-owner becomes the owner; without an active co-owner
   * the client is disabled and keeps its owner.
   */
  retire(id: string, accountId: string, isActive: (accountId: string) => Promise<boolean>): Promise<Retired>;
}

export type OwnerChangesDeps = Pick<ClientChanges, 'get' | 'change'> &
  Pick<ClientChangesOptions, 'store' | 'now'>;

export function createOwnerChanges(deps: OwnerChangesDeps): Omit<OwnerChanges, 'listCoOwned'> {
  const { change } = deps;
  return {
    invite: (id, draft) => change(id, (client, now) => addInvitation(client, draft, now)),
    withdrawInvitation: (id, invitationId) =>
      change(id, (client) => withdrawInvitation(client, invitationId)),
    answerInvitation: (id, answer, invitee) =>
      change(id, (client, now) => answerInvitation(client, answer, invitee, now), { account: invitee.id }),
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

function createRetirement({ store, get, now }: OwnerChangesDeps): OwnerChanges['retire'] {
  async function write({ client, former, outcome }: Retired) {
    if (outcome === 'handed_over' && client.owner !== null)
      return store.replaceAndAdmit(client, former.version, { account: client.owner });
    return (await store.replace(client, former.version)) ? 'replaced' : 'stale';
  }

  return async function retire(id, accountId, isActive) {
    const closed = new Set<string>();
    const isEligible = async (successor: string) => !closed.has(successor) && (await isActive(successor));
    for (;;) {
      const former = await get(id);
      const successor = await findSuccessor(former, isEligible);
      const retired = toRetired(former, { accountId, successor, now: now() });
      if (retired.outcome === 'unchanged') return retired;
      const written = await write(retired);
      if (written === 'replaced') return retired;
      if (written === 'closed' && successor !== undefined) closed.add(successor);
    }
  };
}

/** Returns the first eligible co-owner in the order in which they joined. */
async function findSuccessor(
  { coOwners }: Client,
  isEligible: (accountId: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const { accountId } of coOwners) if (await isEligible(accountId)) return accountId;
  return undefined;
}

function toRetired(
  former: Client,
  { accountId, successor, now }: { accountId: string; successor: string | undefined; now: Date },
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
  if (successor !== undefined)
    return changed('handed_over', changeOwner(former, { to: successor, formerStays: false }, now));
  return former.status === 'disabled'
    ? { client: former, former, outcome: 'unchanged' }
    : changed('disabled', { ...withdrawInvitationsOf(former, accountId), status: 'disabled' });
}
