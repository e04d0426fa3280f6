import { randomUUID } from 'node:crypto';
import {
  type Client,
  type ClientSecret,
  type Invitation,
  noTrustRequests,
  type TrustRequest,
} from './client.ts';
import { defaultSecurity } from './client-security.ts';

export const now = new Date('2026-03-01T12:00:00.123Z');
export const later = new Date(now.getTime() + 60_000);
export const latest = new Date(now.getTime() + 120_000);

/** A secret with the given members. */
export function secret(members: Partial<ClientSecret> = {}): ClientSecret {
  return {
    id: randomUUID(),
    digest: 'digest',
    hint: 'hint',
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
    ...members,
  };
}

/** A pending request for the role `agent`, with the given members. */
export function trustRequest(members: Partial<TrustRequest> = {}): TrustRequest {
  return {
    id: randomUUID(),
    kind: 'role',
    role: 'agent',
    reason: 'Imports tickets at night.',
    status: 'pending',
    decisionReason: null,
    createdAt: now,
    closedAt: null,
    closedInVersion: null,
    ...members,
  };
}

/** A pending invitation with the given members. */
export function invitation(members: Partial<Invitation> = {}): Invitation {
  return {
    id: randomUUID(),
    email: 'ann@example.org',
    digest: randomUUID(),
    invitedBy: 'owner',
    status: 'pending',
    createdAt: now,
    expiresAt: later,
    closedInVersion: null,
    ...members,
  };
}

/** A machine client with the given members. */
export function client(members: Partial<Client> = {}): Client {
  return {
    id: randomUUID(),
    name: 'Crew café — 客户端',
    homePage: null,
    policyUri: null,
    tosUri: null,
    logoDigest: null,
    type: 'machine',
    owner: null,
    coOwners: [],
    invitations: [],
    isVerified: true,
    redirectUris: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    initiateLoginUri: null,
    scopes: ['tickets:read'],
    grantTypes: ['client_credentials'],
    authMethod: 'client_secret_basic',
    jwks: null,
    security: defaultSecurity,
    role: null,
    trustRequests: noTrustRequests,
    secrets: [secret()],
    status: 'active',
    createdAt: now,
    updatedAt: now,
    version: 1,
    ...members,
  };
}
