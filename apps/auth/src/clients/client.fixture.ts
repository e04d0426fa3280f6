import { randomUUID } from 'node:crypto';
import { type Client, type ClientSecret, noTrustRequests, type TrustRequest } from './client.ts';
import { usualSecurity } from './client-security.ts';

export const now = new Date('2026-03-01T12:00:00.123Z');
export const later = new Date(now.getTime() + 60_000);
export const latest = new Date(now.getTime() + 120_000);

/** A secret, but for what is said. */
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

/** A pending request for the role of an agent, but for what is said. */
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

/** A machine client, but for what is said. */
export function client(members: Partial<Client> = {}): Client {
  return {
    id: randomUUID(),
    name: 'Crew café — 客户端',
    homePage: null,
    policyUri: null,
    tosUri: null,
    type: 'machine',
    owner: null,
    isVerified: true,
    redirectUris: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    initiateLoginUri: null,
    scopes: ['tickets:read'],
    grantTypes: ['client_credentials'],
    authMethod: 'client_secret_basic',
    jwks: null,
    security: usualSecurity,
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
