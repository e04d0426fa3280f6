import type { Browser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { type Application, addPersonBy, fetchCode, type Operate, signIn } from '../bench/people.ts';
import type { Deployment } from '../side-by-side/deployment.ts';

export type Json = Record<string, unknown>;

/** Sends the requests of clients before and after a restoration. */
export interface Clients {
  /** Creates a ticket; resolves with its id if the server acknowledged it. */
  createTicket(): Promise<string | undefined>;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; json: Json }>;
  changeTicket(id: string, etag: string): Promise<number>;
  /** Signs in again on the same browser; resolves with a new refresh token. */
  newFamily(): Promise<string>;
  /** Resolves with the next refresh token, or the error code. */
  refresh(token: string): Promise<{ next?: string; error?: string }>;
  /** Adds and signs in a further agent, who reads a list; resolves with the id of the person in the API. */
  addAgent(n: number): Promise<string>;
}

const SCOPE = 'tickets:read tickets:write';

export async function createClients(
  deployment: Deployment,
  operate: Operate,
  application: Application,
): Promise<Clients> {
  const machine = await operate<{ client_id: string; client_secret: string }>([
    ...['client', 'add', '--type', 'machine', '--name', 'Drill', '--role', 'agent', '--scope', SCOPE],
  ]);
  const issuer = deployment.auth.url;
  const basic = Buffer.from(`${machine.client_id}:${machine.client_secret}`).toString('base64');
  const requestToken = (form: Json, headers: Record<string, string> = {}) =>
    send(`${issuer}/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form as Record<string, string>),
    });
  const machineForm = { grant_type: 'client_credentials', scope: SCOPE };
  const { json } = await requestToken(machineForm, { Authorization: `Basic ${basic}` });
  const asMachine = { Authorization: `Bearer ${json.access_token}`, 'Content-Type': 'application/json' };
  const toUrl = (path: string) => `${deployment.api.url}${path}`;
  const browser = await signIn(application, await addPersonBy(operate, 0));
  const redeem = async (by: Browser) => (await requestToken(await fetchCode(application, by))).json;

  return {
    async createTicket() {
      const body = JSON.stringify({ subject: 'Drill', requester: { email: 'ada@example.com' } });
      const created = await send(toUrl('/tickets.json'), { method: 'POST', headers: asMachine, body });
      return created.status === 201 ? String(created.json.id) : undefined;
    },
    get: (path, headers = {}) => send(toUrl(path), { headers: { ...asMachine, ...headers } }),
    async changeTicket(id, etag) {
      const headers = { ...asMachine, 'If-Match': etag };
      const body = JSON.stringify({ subject: 'Changed' });
      return (await send(toUrl(`/ticket/${id}.json`), { method: 'PUT', headers, body })).status;
    },
    newFamily: async () => String((await redeem(browser)).refresh_token),
    async refresh(token) {
      const form = { grant_type: 'refresh_token', client_id: application.clientId, refresh_token: token };
      const { status, json: answer } = await requestToken(form);
      return status === 200 ? { next: String(answer.refresh_token) } : { error: String(answer.error) };
    },
    async addAgent(n) {
      const { access_token } = await redeem(await signIn(application, await addPersonBy(operate, n)));
      const me = await send(toUrl('/me.json'), { headers: { Authorization: `Bearer ${access_token}` } });
      return String((me.json.person as Json).id);
    },
  };
}

async function send(url: string, init: RequestInit): Promise<{ status: number; json: Json }> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : {} };
}
