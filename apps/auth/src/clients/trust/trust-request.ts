import { AppError, type FieldError } from '@keydesk/server';
import { isLineOfText } from '../../values/line-of-text.ts';
import { type Role, roles } from '../../values/scopes.ts';
import type { Client, TrustRequest, TrustRequestKind } from '../client.ts';
import { typeRules } from '../client-types.ts';

export const MAX_REASON_LENGTH = 500;

/** A developer's proposal: a role for a machine client, or verification. */
export interface TrustProposal {
  kind: TrustRequestKind;
  /** Requested role; `null` for verification. */
  role: Role | null;
  reason: string;
}

/** An operator's decision about a request; a rejection has a reason, which the developer reads. */
export type TrustDecision =
  | { status: 'approved'; reason?: undefined }
  | { status: 'rejected'; reason: string };

/** Lists the kinds of trust that a client can request: a role, even if it has one, and verification. */
export function listRequestableKinds({ type, isVerified }: Client): readonly TrustRequestKind[] {
  return [
    ...(typeRules[type].hasRole ? ['role' as const] : []),
    ...(isVerified ? [] : ['verification' as const]),
  ];
}

/** Lists every fault of a proposal. */
export function findProposalFaults(
  client: Client,
  { kind, role, reason }: TrustProposal,
): readonly FieldError[] {
  const isRoleMissing = kind === 'role' && !roles.some((each) => each === role);
  return [
    ...(listRequestableKinds(client).includes(kind)
      ? []
      : [{ field: 'kind', code: 'unsuitable', message: 'cannot be requested for this client' }]),
    ...(isRoleMissing
      ? [{ field: 'role', code: 'role_missing', message: `must be ${roles.join(', ')}` }]
      : []),
    ...(kind === 'role' && role !== null && role === client.role
      ? [{ field: 'role', code: 'role_same', message: 'is the role that the client has' }]
      : []),
    ...findReasonFaults(reason),
  ];
}

function findReasonFaults(reason: string): readonly FieldError[] {
  const { length } = reason.trim();
  const message = `needs 1 to ${MAX_REASON_LENGTH} printable characters on one line`;
  if (length === 0) return [{ field: 'reason', code: 'reason_missing', message }];
  if (length > MAX_REASON_LENGTH) return [{ field: 'reason', code: 'reason_too_long', message }];
  return isLineOfText(reason) ? [] : [{ field: 'reason', code: 'reason_invalid', message }];
}

/**
 * Adds a request to a client. It replaces the last request of its kind, which is decided or withdrawn.
 *
 * @throws {AppError} `validation_failed`, or `conflict` if a request of this kind is pending
 */
export function addRequest(client: Client, proposal: TrustProposal, id: string, now: Date): Client {
  const errors = findProposalFaults(client, proposal);
  if (errors.length > 0) throw invalidRequest(errors);
  const { kind, role } = proposal;
  if (client.trustRequests[kind]?.status === 'pending')
    throw new AppError('conflict', `A request of kind ${kind} is pending; withdraw it first.`);
  return withRequest(client, {
    id,
    kind,
    role: kind === 'role' ? role : null,
    reason: proposal.reason.trim(),
    status: 'pending',
    decisionReason: null,
    createdAt: now,
    closedAt: null,
    closedInVersion: null,
  });
}

/** @throws {AppError} `conflict` if the request is not pending */
export function withdrawRequest(client: Client, id: string, now: Date): Client {
  return withRequest(client, close(client, getPending(client, id), { status: 'withdrawn' }, now));
}

/**
 * Closes a request and grants the requested trust in one change of the client.
 *
 * @throws {AppError} `conflict` if the request is not pending, `validation_failed` for a rejection without a reason
 */
export function decideRequest(client: Client, id: string, decision: TrustDecision, now: Date): Client {
  const errors = decision.status === 'rejected' ? findReasonFaults(decision.reason) : [];
  if (errors.length > 0) throw invalidRequest(errors);
  const request = getPending(client, id);
  const decided = withRequest(client, close(client, request, decision, now));
  if (decision.status === 'rejected') return decided;
  return request.kind === 'role' ? { ...decided, role: request.role } : { ...decided, isVerified: true };
}

/** Approves the pending requests for trust that the client already has. */
export function approveGranted(client: Client, now: Date): Client {
  const { role, verification } = client.trustRequests;
  const granted = [
    ...(role?.status === 'pending' && role.role === client.role ? [role] : []),
    ...(verification?.status === 'pending' && client.isVerified ? [verification] : []),
  ];
  return granted.reduce(
    (next, request) => withRequest(next, close(next, request, { status: 'approved' }, now)),
    client,
  );
}

/** Withdraws the pending requests, because the application is no longer the one that they describe. */
export function withdrawPending(client: Client, now: Date): Client {
  return pendingRequestsOf(client).reduce((next, { id }) => withdrawRequest(next, id, now), client);
}

export function pendingRequestsOf({
  trustRequests: { role, verification },
}: Client): readonly TrustRequest[] {
  return [role, verification].filter((each) => each?.status === 'pending') as readonly TrustRequest[];
}

/** Lists the requests that the last change of the client closed. */
export function listJustClosed({
  trustRequests: { role, verification },
  version,
}: Client): readonly TrustRequest[] {
  return [role, verification].filter((each) => each?.closedInVersion === version) as readonly TrustRequest[];
}

function getPending(client: Client, id: string): TrustRequest {
  const request = pendingRequestsOf(client).find((each) => each.id === id);
  if (!request) throw notPending(id);
  return request;
}

function close(
  client: Client,
  request: TrustRequest,
  { status, reason }: { status: Exclude<TrustRequest['status'], 'pending'>; reason?: string | undefined },
  now: Date,
): TrustRequest {
  const decisionReason = reason?.trim() ?? null;
  return { ...request, status, decisionReason, closedAt: now, closedInVersion: client.version + 1 };
}

function withRequest(client: Client, request: TrustRequest): Client {
  return { ...client, trustRequests: { ...client.trustRequests, [request.kind]: request } };
}

export function notPending(id: string): AppError {
  return new AppError(
    'conflict',
    `The request ${id} is not pending: it was decided or withdrawn, or its application was changed or removed.`,
  );
}

function invalidRequest(errors: readonly FieldError[]): AppError {
  const reasons = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new AppError('validation_failed', `Invalid trust request: ${reasons}.`, { errors });
}
