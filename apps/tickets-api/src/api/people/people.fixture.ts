import type { Answer, TestApi } from '../../tests/api.fixture.ts';

/** Sends requests as one person or machine. */
export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

const everyScope = 'tickets:read tickets:write tickets:delete';

/** Creates a sender for a person with a role and a verified address, who has signed in. */
export function signIn(
  api: TestApi,
  role: string,
  email: string,
  claims: Record<string, unknown> = {},
): Send {
  return present(api, { ...claimsOf(role, email), ...claims });
}

/** Returns the claims of an account with this verified address. */
export function claimsOf(role: string, email: string): Record<string, unknown> {
  return { role, sub: `sub of ${email}`, email, email_verified: true };
}

/** Creates a sender for a machine client with a role. */
export function connect(api: TestApi, role: string, clientId = 'machine'): Send {
  return present(api, { role, sub: clientId, client_id: clientId });
}

/** Adds a ticket and resolves with its id. */
export async function addTicketAs(send: Send, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, json, text } = await send('POST', '/tickets.json', { subject: 'x', ...fields });
  if (status !== 201) throw new Error(`${status}: ${text}`);
  return String(json.id);
}

/** Returns the ids of the tickets in a list, in its order. */
export async function listIds(send: Send, query = ''): Promise<string[]> {
  const { json } = await send('GET', `/tickets.json${query}`);
  return (json.tickets as { id: string }[]).map(({ id }) => id);
}

function present(api: TestApi, claims: Record<string, unknown>): Send {
  const token = api.issuer.token({ scope: everyScope, client_id: 'mobile-app', ...claims });
  return (method, path, body, headers = {}) =>
    api.request(method, path, body, { Authorization: `Bearer ${token}`, ...headers });
}
