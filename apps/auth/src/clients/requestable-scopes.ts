import { apiScopes, personScopes } from '../scopes.ts';
import type { Client } from './client.ts';

/**
 * Scopes that only verified applications may request. A deleted ticket is gone for everybody, so one person's consent is
 * not enough.
 */
const reservedScopes: readonly string[] = ['tickets:delete'];

export function isReserved(scope: string): boolean {
  return reservedScopes.includes(scope);
}

/** Every scope that a client may be registered for: what acts for nobody asks about nobody, what gets no tokens for nothing. */
export function knownScopesOf({ grantTypes }: Pick<Client, 'grantTypes'>): readonly string[] {
  if (grantTypes.length === 0) return [];
  return grantTypes.includes('refresh_token') ? [...personScopes, ...apiScopes] : apiScopes;
}

/**
 * What a client may ask for as it stands now: what it is registered for, short of the reserved scopes while nobody
 * vouches for it. One of the operator's own that is registered for no scope about people may ask for all of them.
 */
export function requestableScopesOf(client: Client): readonly string[] {
  const { owner, scopes, isVerified } = client;
  const known = knownScopesOf(client);
  const presumed = owner === null && !scopes.some(isAboutPeople) ? known.filter(isAboutPeople) : [];
  return [...scopes.filter((scope) => isVerified || !isReserved(scope)), ...presumed];
}

function isAboutPeople(scope: string): boolean {
  return personScopes.some((each) => each === scope);
}
