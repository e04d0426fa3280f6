import { AppError } from '@keydesk/http';
import type { Client, Invitation } from './client.ts';
import { withdrawPending } from './trust-request.ts';

/** Co-owners of an application, those with a pending invitation included. */
export const MAX_CO_OWNERS = 10;
/** Days after its expiry during which the link of an invitation can say what became of it. */
export const INVITATION_KEPT_DAYS = 30;
const ONE_DAY_MS = 86_400_000;
/** Invitations that ended and are kept; older ones are dropped. */
const MAX_ENDED_INVITATIONS = 20;

export type InvitationDraft = Pick<Invitation, 'id' | 'email' | 'digest' | 'invitedBy' | 'expiresAt'> & {
  email: string;
};

/** The account that opens the link of an invitation. */
export interface InvitedReader {
  id: string;
  email: string;
  emailVerified: boolean;
}

/** The invitation behind a link as an account may see it; `unknown` covers those that were dropped. */
export type InspectedInvitation =
  | { state: 'pending'; invitation: Invitation }
  | { state: Exclude<Invitation['status'], 'pending'> | 'expired' | 'other_account' | 'unknown' };

export function isCoOwner({ coOwners }: Pick<Client, 'coOwners'>, accountId: string): boolean {
  return coOwners.some((each) => each.accountId === accountId);
}

export function isPending({ status, expiresAt }: Invitation, now: Date): boolean {
  return status === 'pending' && expiresAt > now;
}

/** Finds the invitation behind a link; a link that was mailed to another address gives nothing. */
export function inspectInvitation(
  { invitations }: Pick<Client, 'invitations'>,
  digest: string,
  { email, emailVerified }: InvitedReader,
  now: Date,
): InspectedInvitation {
  const invitation = invitations.find((each) => each.digest === digest);
  if (!invitation) return { state: 'unknown' };
  if (invitation.status !== 'pending') return { state: invitation.status };
  if (!emailVerified || invitation.email !== email) return { state: 'other_account' };
  return isPending(invitation, now) ? { state: 'pending', invitation } : { state: 'expired' };
}

/**
 * Adds a pending invitation.
 *
 * @throws {AppError} `conflict` with the code `already_invited` or `co_owners_full`
 */
export function addInvitation(client: Client, draft: InvitationDraft, now: Date): Client {
  const pending = client.invitations.filter((each) => isPending(each, now));
  if (pending.some(({ email }) => email === draft.email))
    throw refusal('email', 'already_invited', 'This address has a pending invitation; withdraw it first.');
  requireRoom(client, now);
  const invitation = { ...draft, status: 'pending', createdAt: now, closedInVersion: null } as const;
  const ended = client.invitations.filter((each) => !isPending(each, now)).slice(-MAX_ENDED_INVITATIONS);
  const invitations = [...ended, ...pending, invitation];
  return {
    ...client,
    invitations: invitations.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime()),
  };
}

/** @throws {AppError} `not_found` when the invitation is not pending */
export function withdrawInvitation(client: Client, id: string): Client {
  const isWithdrawn = ({ status, ...each }: Invitation) => status === 'pending' && each.id === id;
  if (!client.invitations.some(isWithdrawn))
    throw new AppError('not_found', `There is no pending invitation ${id}.`);
  return closeInvitations(client, isWithdrawn, 'withdrawn');
}

/**
 * Makes the invited account a co-owner, unless it owns the application already, or declines for it.
 *
 * @throws {AppError} `conflict` with the state of the invitation as code, unless that is `pending`
 */
export function answerInvitation(
  client: Client,
  { digest, answer }: { digest: string; answer: 'accepted' | 'declined' },
  reader: InvitedReader,
  now: Date,
): Client {
  const { state } = inspectInvitation(client, digest, reader, now);
  if (state !== 'pending') throw refusal('token', state, `The invitation cannot be answered: ${state}.`);
  const answered = closeInvitations(client, (each) => each.digest === digest, answer);
  const isOwner = client.owner === reader.id || isCoOwner(client, reader.id);
  return answer === 'declined' || isOwner ? answered : withCoOwner(answered, reader.id, now);
}

/** @throws {AppError} `conflict` with the code `already_owner` or `co_owners_full` */
export function addCoOwner(client: Client, accountId: string, now: Date): Client {
  if (client.owner === accountId || isCoOwner(client, accountId)) throw alreadyOwner();
  requireRoom(client, now);
  return withCoOwner(client, accountId, now);
}

/**
 * Takes a co-owner out, with the invitations that they sent: a stolen account must leave no way back in.
 *
 * @throws {AppError} `not_found`
 */
export function removeCoOwner(client: Client, accountId: string): Client {
  if (!isCoOwner(client, accountId))
    throw new AppError('not_found', `The account ${accountId} is no co-owner of this application.`);
  return withdrawInvitationsOf(withoutCoOwner(client, accountId), accountId);
}

/** Withdraws the pending invitations that an account sent. */
export function withdrawInvitationsOf(client: Client, accountId: string): Client {
  return closeInvitations(
    client,
    ({ status, invitedBy }) => status === 'pending' && invitedBy === accountId,
    'withdrawn',
  );
}

/**
 * Gives the application another owner. People are shown the owner beside the verified mark, so the mark ends, as it does
 * when the owner takes another name; a pending request for trust described somebody else's application.
 *
 * @param formerStays whether the former owner becomes a co-owner
 * @throws {AppError} `conflict` with the code `already_owner` or `co_owners_full`
 */
export function changeOwner(
  client: Client,
  { to, formerStays }: { to: string; formerStays: boolean },
  now: Date,
): Client {
  const { owner } = client;
  if (owner === to) throw alreadyOwner();
  const others = withoutCoOwner(client, to);
  const stays = formerStays && owner !== null;
  if (stays) requireRoom(others, now);
  const former = owner === null || stays ? others : withdrawInvitationsOf(others, owner);
  const shared = stays ? withCoOwner(former, owner, now) : former;
  return withdrawPending({ ...shared, owner: to, isVerified: false }, now);
}

/** Invitations that ended with the last change of the client. */
export function justClosedInvitationsOf({ invitations, version }: Client): readonly Invitation[] {
  return invitations.filter(({ closedInVersion }) => closedInVersion === version);
}

/** Drops the invitations whose links have nothing to say any more. */
export function dropOldInvitations(client: Client, now: Date): Client {
  const kept = client.invitations.filter(({ expiresAt }) => expiresAt >= keptSince(now));
  return { ...client, invitations: kept };
}

/** Expiry of the oldest invitations that are kept. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - INVITATION_KEPT_DAYS * ONE_DAY_MS);
}

function closeInvitations(
  client: Client,
  isClosed: (invitation: Invitation) => boolean,
  status: Exclude<Invitation['status'], 'pending'>,
): Client {
  const closed = { status, email: null, closedInVersion: client.version + 1 };
  const invitations = client.invitations.map((each) => (isClosed(each) ? { ...each, ...closed } : each));
  return { ...client, invitations };
}

function withCoOwner(client: Client, accountId: string, now: Date): Client {
  return { ...client, coOwners: [...client.coOwners, { accountId, since: now }] };
}

function withoutCoOwner(client: Client, accountId: string): Client {
  return { ...client, coOwners: client.coOwners.filter((each) => each.accountId !== accountId) };
}

function requireRoom({ coOwners, invitations }: Client, now: Date): void {
  const pending = invitations.filter((each) => isPending(each, now));
  if (coOwners.length + pending.length >= MAX_CO_OWNERS)
    throw refusal(
      'email',
      'co_owners_full',
      `An application has at most ${MAX_CO_OWNERS} co-owners; remove one or withdraw an invitation.`,
    );
}

function alreadyOwner(): AppError {
  return refusal('email', 'already_owner', 'This account is an owner of the application already.');
}

function refusal(field: string, code: string, message: string): AppError {
  return new AppError('conflict', message, { errors: [{ field, code, message }] });
}
