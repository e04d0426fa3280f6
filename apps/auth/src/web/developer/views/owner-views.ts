import type { AccountStore } from '../../../accounts/account/account-store.ts';
import type { CoOwner } from '../../../clients/client.ts';
import { isPending, MAX_CO_OWNERS } from '../../../clients/owners/co-ownership.ts';
import type { OwnersView, OwnerView } from '../../../pages/views/owners.ts';
import type { Application } from '../portal/applications.ts';
import { pathsOf } from '../portal/paths.ts';

export interface PostedInvitation {
  email: string;
  problems: NonNullable<OwnersView['form']>['problems'];
}

export interface OwnersViewOptions {
  /** Account of the page's reader. */
  accountId: string;
  accounts: Pick<AccountStore, 'find'>;
  csrf: string;
  now: Date;
  /** The posted form with its problems. */
  posted: PostedInvitation | undefined;
}

/** Builds the view of an application's owners and invitations for one of its owners. */
export async function toOwnersView(
  application: Application,
  { accountId, accounts, csrf, now, posted }: OwnersViewOptions,
): Promise<OwnersView> {
  const { id, owner, coOwners, invitations } = application;
  const paths = pathsOf(id);
  const isOwner = owner === accountId;
  const owners: readonly { accountId: string; since?: Date }[] = [{ accountId: owner ?? '' }, ...coOwners];
  const people = await Promise.all(owners.map(toOwnerView));
  const pending = invitations.filter((each) => isPending(each, now));
  const isFull = coOwners.length + pending.length >= MAX_CO_OWNERS;

  async function toOwnerView(each: Partial<CoOwner> & { accountId: string }): Promise<OwnerView | undefined> {
    const account = await accounts.find(each.accountId);
    const links = { handOver: paths.handOver(each.accountId), remove: paths.removeCoOwner(each.accountId) };
    return (
      account && {
        id: account.id,
        name: account.profile.name,
        email: account.email,
        since: each.since,
        isReader: account.id === accountId,
        links: isOwner && account.id !== owner ? links : undefined,
      }
    );
  }

  return {
    people: people.filter((each) => each !== undefined),
    invitations: invitations.flatMap(({ email, ...each }) =>
      email === null
        ? []
        : [
            {
              id: each.id,
              email,
              expiresAt: each.expiresAt,
              isExpired: each.expiresAt <= now,
              withdrawAction: paths.withdrawInvitation(each.id),
            },
          ],
    ),
    form: isFull ? undefined : { action: paths.invite, csrf, problems: posted?.problems },
    invitedEmail: posted?.email,
    max: MAX_CO_OWNERS,
    leave: isOwner ? undefined : paths.leave,
  };
}
