import type { Client, TrustRequest } from '../clients/client.ts';
import { toPkceChoice } from '../clients/client-security.ts';
import type { Clients } from '../clients/clients.ts';
import { listJustClosedInvitations } from '../clients/owners/co-ownership.ts';
import type { HandedOver } from '../clients/owners/owner-changes.ts';
import { listJustClosed } from '../clients/trust/trust-request.ts';
import type { Audit } from './audit.ts';
import type { AuditEvent, AuditEventType } from './audit-event.ts';

/** The party on whose behalf clients are changed. */
export type Author = Pick<AuditEvent, 'actor' | 'accountId' | 'address' | 'requestId'>;

/** The operator, who runs the CLI commands. */
export const operator: Author = { actor: 'operator', accountId: null, address: 'cli', requestId: null };

export interface ClientAuditOptions {
  audit: Pick<Audit, 'record'>;
  author: Author;
  now: () => Date;
}

/** Wraps the clients domain, so that every change is recorded in the audit log before it resolves. */
export function withClientAudit(clients: Clients, { audit, author, now }: ClientAuditOptions): Clients {
  const record: RecordEvent = (type, clientId, details = {}, accountId = author.accountId) =>
    audit.record({ ...author, accountId, type, at: now(), clientId, details });

  return {
    ...clients,
    ...auditTrust(clients, record),
    ...auditOwners(clients, record, author.actor),
    async add(request) {
      const added = await clients.add(request);
      await record('client.added', added.client.id, describe(added.client));
      return added;
    },
    async register(...request) {
      const added = await clients.register(...request);
      await record('client.added', added.client.id, describe(added.client));
      return added;
    },
    async edit(id, edit, version) {
      const client = await clients.edit(id, edit, version);
      await record('client.changed', id, describeEdited(client));
      await recordClosed(client, record);
      return client;
    },
    async setLogo(id, file) {
      const client = await clients.setLogo(id, file);
      const { logoDigest, isVerified } = client;
      const details = { verified: String(isVerified), ...(logoDigest && { digest: logoDigest }) };
      await record(file === null ? 'client.logo_removed' : 'client.logo_set', id, details);
      await recordClosed(client, record);
      return client;
    },
    async addSecret(id) {
      const added = await clients.addSecret(id);
      await record('client.secret_added', id);
      return added;
    },
    async removeSecret(id, secretId) {
      const client = await clients.removeSecret(id, secretId);
      await record('client.secret_removed', id);
      return client;
    },
    async rotateSecret(id, overlapSeconds) {
      const rotated = await clients.rotateSecret(id, overlapSeconds);
      await record('client.secret_rotated', id, { overlap_seconds: String(overlapSeconds) });
      return rotated;
    },
    async setProfile(id, profile) {
      const client = await clients.setProfile(id, profile);
      await record('client.changed', id, { profile: profile ?? 'none' });
      return client;
    },
    async setStatus(id, status) {
      const client = await clients.setStatus(id, status);
      await record(status === 'active' ? 'client.enabled' : 'client.disabled', id);
      return client;
    },
    async remove(id) {
      await clients.remove(id);
      await record('client.removed', id);
    },
  };
}

/** Event type by status of a trust request. */
const typeByStatus = {
  pending: 'client.trust_requested',
  approved: 'client.trust_approved',
  rejected: 'client.trust_rejected',
  withdrawn: 'client.trust_withdrawn',
} as const satisfies { [Status in TrustRequest['status']]: AuditEventType };

type RecordEvent = (
  type: AuditEventType,
  clientId: string,
  details?: AuditEvent['details'],
  /** By default that of the author. */
  accountId?: string | null,
) => Promise<void>;

/** Records the requests and invitations that the last change of a client closed. */
async function recordClosed(client: Client, record: RecordEvent): Promise<void> {
  for (const request of listJustClosed(client))
    await record(typeByStatus[request.status], client.id, describeTrust(request));
  for (const { id, status } of listJustClosedInvitations(client))
    if (status !== 'pending') await record(`client.invitation_${status}`, client.id, { invitation: id });
}

/** Audits owners, co-owners and invitations, without e-mail addresses, which would outlive a removed account. */
function auditOwners(clients: Clients, record: RecordEvent, actor: string | null): Partial<Clients> {
  const recordHandOver = async ({ client, former }: HandedOver) => {
    const details = { from: former.owner ?? 'operator', to: client.owner ?? 'operator' };
    await record('client.owner_changed', client.id, details, client.owner);
    if (former.isVerified) await record('client.unverified', client.id);
    await recordClosed(client, record);
  };

  return {
    async invite(id, draft) {
      const client = await clients.invite(id, draft);
      await record('client.invitation_sent', id, { invitation: draft.id });
      return client;
    },
    async withdrawInvitation(id, invitationId) {
      const client = await clients.withdrawInvitation(id, invitationId);
      await recordClosed(client, record);
      return client;
    },
    async answerInvitation(id, answer, reader) {
      const client = await clients.answerInvitation(id, answer, reader);
      await recordClosed(client, record);
      return client;
    },
    async addCoOwner(id, accountId) {
      const client = await clients.addCoOwner(id, accountId);
      await record('client.co_owner_added', id, {}, accountId);
      return client;
    },
    async removeCoOwner(id, accountId) {
      const client = await clients.removeCoOwner(id, accountId);
      const type = actor === accountId ? 'client.co_owner_left' : 'client.co_owner_removed';
      await record(type, id, {}, accountId);
      await recordClosed(client, record);
      return client;
    },
    async changeOwner(...change) {
      const handedOver = await clients.changeOwner(...change);
      await recordHandOver(handedOver);
      return handedOver;
    },
    async retire(id, accountId, isActive) {
      const retired = await clients.retire(id, accountId, isActive);
      if (retired.outcome === 'handed_over') await recordHandOver(retired);
      if (retired.outcome === 'disabled') await record('client.disabled', id);
      if (retired.outcome === 'co_owner_removed') await record('client.co_owner_removed', id);
      if (retired.outcome === 'disabled' || retired.outcome === 'co_owner_removed')
        await recordClosed(retired.client, record);
      return retired;
    },
  };
}

/** Audits trust and requests for it. An approval is also recorded as the change it makes. */
function auditTrust(clients: Clients, record: RecordEvent): Partial<Clients> {
  const recordRole = ({ id, role }: Client) => record('client.role_changed', id, { role: role ?? 'none' });
  const recordVerified = ({ id, isVerified }: Client) =>
    record(isVerified ? 'client.verified' : 'client.unverified', id);

  return {
    async setRole(id, role) {
      const client = await clients.setRole(id, role);
      await recordRole(client);
      await recordClosed(client, record);
      return client;
    },
    async setVerified(id, isVerified) {
      const client = await clients.setVerified(id, isVerified);
      await recordVerified(client);
      await recordClosed(client, record);
      return client;
    },
    async requestTrust(id, proposal) {
      const client = await clients.requestTrust(id, proposal);
      const request = client.trustRequests[proposal.kind];
      if (request) await record(typeByStatus.pending, id, describeTrust(request));
      return client;
    },
    async withdrawTrustRequest(id, requestId) {
      const client = await clients.withdrawTrustRequest(id, requestId);
      await recordClosed(client, record);
      return client;
    },
    async decideTrustRequest(requestId, decision) {
      const client = await clients.decideTrustRequest(requestId, decision);
      await recordClosed(client, record);
      if (decision.status === 'rejected') return client;
      const [approved] = listJustClosed(client);
      await (approved?.kind === 'role' ? recordRole(client) : recordVerified(client));
      return client;
    },
  };
}

/** Describes a trust request, without the reasons that users typed. */
function describeTrust({ id, kind, role }: TrustRequest): AuditEvent['details'] {
  return { request: id, kind, ...(role && { role }) };
}

function describe({ name, type, role, scopes }: Client): AuditEvent['details'] {
  return { name, type, role: role ?? 'none', scope: scopes.join(' ') };
}

/** Limit of one detail; twenty URIs may have 2,000 characters each. */
const MAX_DETAIL_LENGTH = 2_000;

/** Describes an edited client, with the members that can be abused: redirect URIs and the verified state. */
function describeEdited(client: Client): AuditEvent['details'] {
  const { isVerified, redirectUris, security } = client;
  const uris = redirectUris.join(' ').slice(0, MAX_DETAIL_LENGTH);
  const pkce = toPkceChoice(security);
  return { ...describe(client), verified: String(isVerified), redirect_uris: uris, pkce };
}
