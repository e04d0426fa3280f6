import { AppError } from '@keydesk/server';
import type { Client, Invitation } from '../client.ts';
import { withdrawPending } from '../trust/trust-request.ts';

/** Limit of co-owners of an application, including pending invitations. */
export const MAX_CO_OWNERS = 10;
/** Days for which an expired invitation is stored, so that its link shows the outcome. */
export const INVITATION_RETENTION_DAYS = 30;
const ONE_DAY_MS = 86_400_000;
/** Limit of ended invitations that are stored; older ones are deleted. */
const MAX_ENDED_INVITATIONS = 20;

export type InvitationDraft = Pick<Invitation, 'id' | 'email' | 'digest' | 'invitedBy' | 'expiresAt'> & {
  email: string;
};

/** The account that opens an invitation's link. */
export interface Invitee {
  id: string;
  email: string;
  emailVerified: boolean;
}

/** State of an invitation as an account may see it; `unknown` includes deleted invitations. */
export type InvitationState =
  | { state: 'pending'; invitation: Invitation }
  | { state: Exclude<Invitation['status'], 'pending'> | 'expired' | 'other_account' | 'unknown' };

export function isCoOwner({ coOwners }: Pick<Client, 'coOwners'>, accountId: string): boolean {
  return coOwners.some((each) => each.accountId === accountId);
}

export function isPending({ status, expiresAt }: Invitation, now: Date): boolean {
  return status === 'pending' && expiresAt > now;
}

/** Finds the invitation of a link; reveals nothing of one that was mailed to another address. */
export function inspectInvitation(
  { invitations }: Pick<Client, 'invitations'>,
  digest: string,
  { email, emailVerified }: Invitee,
  now: Date,
): InvitationState {
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
    throw conflict('email', 'already_invited', 'This address has a pending invitation; withdraw it first.');
  requireFreeSlot(client, now);
  const invitation = { ...draft, status: 'pending', createdAt: now, closedInVersion: null } as const;
  const ended = client.invitations.filter((each) => !isPending(each, now)).slice(-MAX_ENDED_INVITATIONS);
  const invitations = [...ended, ...pending, invitation];
  return {
    ...client,
    invitations: invitations.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime()),
  };
}

/** @throws {AppError} `not_found` if the invitation is not pending */
export function withdrawInvitation(client: Client, id: string): Client {
  const isWithdrawn = ({ status, ...each }: Invitation) => status === 'pending' && each.id === id;
  if (!client.invitations.some(isWithdrawn))
    throw new AppError('not_found', `No pending invitation has the id ${id}.`);
  return closeInvitations(client, isWithdrawn, 'withdrawn');
}

/**
 * Makes the invited account a co-owner unless it owns the application already, or declines the invitation.
 *
 * @throws {AppError} `conflict` with the state of the invitation as code, unless the state is `pending`
 */
export function answerInvitation(
  client: Client,
  { digest, answer }: { digest: string; answer: 'accepted' | 'declined' },
  invitee: Invitee,
  now: Date,
): Client {
  const { state } = inspectInvitation(client, digest, invitee, now);
  if (state !== 'pending') throw conflict('token', state, `The invitation cannot be answered: ${state}.`);
  const answered = closeInvitations(client, (each) => each.digest === digest, answer);
  const isOwner = client.owner === invitee.id || isCoOwner(client, invitee.id);
  return answer === 'declined' || isOwner ? answered : withCoOwner(answered, invitee.id, now);
}

/** @throws {AppError} `conflict` with the code `already_owner` or `co_owners_full` */
export function addCoOwner(client: Client, accountId: string, now: Date): Client {
  if (client.owner === accountId || isCoOwner(client, accountId)) throw alreadyOwner();
  requireFreeSlot(client, now);
  return withCoOwner(client, accountId, now);
}

/**
 * Removes a co-owner and withdraws the invitations that they sent, so that a stolen account keeps no way back in.
 *
 * @throws {AppError} `not_found`
 */
export function removeCoOwner(client: Client, accountId: string): Client {
  if (!isCoOwner(client, accountId))
    throw new AppError('not_found', `Account ${accountId} is not a co-owner of this application.`);
  return withdrawInvitationsOf(withoutCoOwner(client, accountId), accountId);
}

/** Withdraws the pending invitations of an account. */
export function withdrawInvitationsOf(client: Client, accountId: string): Client {
  return closeInvitations(
    client,
    ({ status, invitedBy }) => status === 'pending' && invitedBy === accountId,
    'withdrawn',
  );
}

/**
 * Makes another account the owner. Consent pages show the owner beside the verified mark, so the verification ends, and
 * pending trust requests of the former owner are withdrawn.
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
  if (stays) requireFreeSlot(others, now);
  const former = owner === null || stays ? others : withdrawInvitationsOf(others, owner);
  const shared = stays ? withCoOwner(former, owner, now) : former;
  return withdrawPending({ ...shared, owner: to, isVerified: false }, now);
}

/** Lists the invitations that the last change of the client closed. */
export function listJustClosedInvitations({ invitations, version }: Client): readonly Invitation[] {
  return invitations.filter(({ closedInVersion }) => closedInVersion === version);
}

/** Deletes invitations that expired more than `INVITATION_RETENTION_DAYS` ago. */
export function deleteOldInvitations(client: Client, now: Date): Client {
  const retained = client.invitations.filter(({ expiresAt }) => expiresAt >= retentionStart(now));
  return { ...client, invitations: retained };
}

/** Returns the earliest expiry of stored invitations. */
export function retentionStart(now: Date): Date {
  return new Date(now.getTime() - INVITATION_RETENTION_DAYS * ONE_DAY_MS);
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

function requireFreeSlot({ coOwners, invitations }: Client, now: Date): void {
  const pending = invitations.filter((each) => isPending(each, now));
  if (coOwners.length + pending.length >= MAX_CO_OWNERS)
    throw conflict(
      'email',
      'co_owners_full',
      `An application has at most ${MAX_CO_OWNERS} co-owners; remove one or withdraw an invitation.`,
    );
}

function alreadyOwner(): AppError {
  return conflict(
    'email',
    'already_owner',
    'This account is already an owner or co-owner of the application.',
  );
}

function conflict(field: string, code: string, message: string): AppError {
  return new AppError('conflict', message, { errors: [{ field, code, message }] });
}
