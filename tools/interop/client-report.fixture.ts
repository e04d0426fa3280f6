import { expect } from 'vitest';
import { API_SCOPE, type Keydesk, SCOPE } from './keydesk.fixture.ts';

/** Report of a client library from sign-in to refresh. */
export interface ClientReport {
  /** Claims of the ID token that the library validated. */
  claims: Record<string, unknown>;
  userinfo: Record<string, unknown>;
  /** Scope reported by the library, as text or list. */
  scope: Scope;
  /** Status of `POST /tickets.json`. */
  created: number;
  /** Subjects that `GET /tickets.json` lists. */
  subjects: readonly string[];
  /** Scope after the refresh, and the status of a request with the new access token. */
  refreshed: { scope: Scope; status: number };
}

/** Scope of a machine's token and the status of an API request with it. */
export interface MachineReport {
  scope: Scope;
  status: number;
}

type Scope = string | readonly string[];

/** Expects identity, full scope, API access, and a refresh without `prompt=consent`. */
export function expectCompleteJourney(report: ClientReport, keydesk: Keydesk): void {
  const { issuer, account } = keydesk;
  const profile = { name: 'Ada Lovelace', email: account.email, email_verified: true };
  expect(report).toMatchObject({
    claims: { iss: issuer, ...profile },
    userinfo: { sub: report.claims.sub, ...profile },
    refreshed: { status: 200 },
  });
  expectTickets(report);
  expectScope(report.scope);
  expectScope(report.refreshed.scope);
}

/** Expects every requested scope in any order. */
export function expectScope(scope: Scope): void {
  expect(scopesOf(scope)).toEqual(scopesOf(SCOPE));
}

/** Expects read and write access to the API. */
export function expectTickets(report: Pick<ClientReport, 'created' | 'subjects'>): void {
  expect(report).toMatchObject({ created: 201, subjects: expect.arrayContaining([expect.any(String)]) });
}

/** Expects a machine token with the requested scope that the API accepts. */
export function expectMachineToken({ scope, status }: MachineReport): void {
  expect(scopesOf(scope)).toEqual(scopesOf(API_SCOPE));
  expect(status).toBe(200);
}

function scopesOf(scope: Scope): readonly string[] {
  return (typeof scope === 'string' ? scope.split(' ') : [...scope]).toSorted();
}
