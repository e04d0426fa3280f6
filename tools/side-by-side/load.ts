import { randomUUID } from 'node:crypto';
import type { Browser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { type Application, fetchCode } from '../bench/people.ts';
import { poll } from '../rolling-restart/poll.ts';

export interface LoadOptions {
  /** URL of the API. */
  api: string;
  application: Application;
  /** `Authorization` header of a machine client for the token endpoint. */
  clientAuthorization: string;
  /** A signed-in user for each connection. */
  browsers: readonly Browser[];
}

/** Requests of several connections, each of which repeats the same stories. */
export interface Load {
  /** Resolves when each connection has completed this many further rounds; rejects at the first failure. */
  complete(rounds: number): Promise<void>;
  /** Ends the connections after their current round; resolves with the subjects of all tickets by id. */
  stop(): Promise<ReadonlyMap<string, string>>;
  /** Number of expected responses. */
  readonly answered: number;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams;
}

interface Story {
  send(url: string, sent: Sent, status: number): Promise<Record<string, unknown>>;
  options: LoadOptions;
}

const SCOPE = 'tickets:read tickets:write';

/** Starts the connections. A response with another status than expected, or with other content, is a failure. */
export function startLoad(options: LoadOptions): Load {
  const tickets = new Map<string, string>();
  const rounds = options.browsers.map(() => 0);
  let [answered, isOver] = [0, false];

  async function send(url: string, sent: Sent, status: number): Promise<Record<string, unknown>> {
    const response = await fetch(url, sent);
    const text = await response.text();
    const what = `${sent.method ?? 'GET'} ${url} at ${response.headers.get('x-served-by')}: ${response.status}`;
    require(response.status === status, `${what} ${text.slice(0, 300)}`);
    answered += 1;
    return text === '' ? {} : JSON.parse(text);
  }

  async function repeat(browser: Browser, connection: number): Promise<void> {
    let position: unknown;
    while (!isOver) {
      await usePerson({ send, options }, browser);
      position = await useTicket({ send, options }, tickets, position);
      rounds[connection] = (rounds[connection] ?? 0) + 1;
    }
  }

  const working = Promise.all(options.browsers.map(repeat));
  // A failure also rejects the next `complete` or `stop`.
  working.catch(() => undefined);
  return {
    async complete(further) {
      const before = [...rounds];
      const isDone = async () => rounds.every((each, i) => each >= (before[i] ?? 0) + further);
      await Promise.race([poll('further rounds', isDone), working]);
    },
    async stop() {
      isOver = true;
      await working;
      return tickets;
    },
    get answered() {
      return answered;
    },
  };
}

/** Authorizes an application, rotates its refresh token, uses the access token, and revokes the grant. */
async function usePerson({ send, options }: Story, browser: Browser): Promise<void> {
  const { application, api } = options;
  const requestToken = (form: Record<string, string>, status = 200) =>
    send(`${application.issuer}/token`, post({ client_id: application.clientId, ...form }), status);
  const refresh = (refresh_token: string, status = 200) =>
    requestToken({ grant_type: 'refresh_token', refresh_token }, status);
  let tokens = await requestToken(await fetchCode(application, browser));
  for (let i = 0; i < 2; i++) tokens = await refresh(String(tokens.refresh_token));
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  await send(`${api}/tickets.json?limit=5`, { headers }, 200);
  const last = String(tokens.refresh_token);
  const revocation = post({ client_id: application.clientId, token: last });
  await send(`${application.issuer}/token/revocation`, revocation, 200);
  await refresh(last, 400);
}

/** Creates, repeats, reads, changes and answers a ticket, and follows the feed; returns the new position. */
async function useTicket(
  { send, options }: Story,
  tickets: Map<string, string>,
  since: unknown,
): Promise<unknown> {
  const { api, application, clientAuthorization } = options;
  const form = post({ grant_type: 'client_credentials', scope: SCOPE });
  const asClient = { ...form, headers: { Authorization: clientAuthorization } };
  const { access_token } = await send(`${application.issuer}/token`, asClient, 200);
  const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
  const key = randomUUID();
  const creation = {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': key },
    body: JSON.stringify({
      subject: `Ticket ${key}`,
      external_id: key,
      requester: { email: 'ada@example.com' },
    }),
  };
  const { id } = await send(`${api}/tickets.json`, creation, 201);
  const repeated = await send(`${api}/tickets.json`, creation, 201);
  require(repeated.id === id, `a repeated creation returned ${repeated.id} instead of ${id}`);
  const { etag } = await send(`${api}/ticket/${id}.json`, { headers }, 200);
  const subject = `Changed ${key}`;
  const change = { method: 'PUT', headers: { ...headers, 'If-Match': String(etag) } };
  await send(`${api}/ticket/${id}.json`, { ...change, body: JSON.stringify({ subject }) }, 200);
  await send(`${api}/ticket/${id}.json`, { ...change, body: JSON.stringify({ subject }) }, 412);
  const reply = { method: 'POST', headers, body: JSON.stringify({ body: 'Thank you.' }) };
  await send(`${api}/ticket/${id}/replies.json`, reply, 201);
  tickets.set(String(id), subject);
  return followFeed((path) => send(`${api}${path}`, { headers }, 200), since, String(id));
}

/** Reads the feed to its end, where it must have contained the ticket. */
async function followFeed(
  get: (path: string) => Promise<Record<string, unknown>>,
  since: unknown,
  id: string,
): Promise<unknown> {
  let position = since;
  let hasTicket = false;
  for (;;) {
    const from = position === undefined ? '' : `&since=${encodeURIComponent(String(position))}`;
    const page = await get(`/changes.json?limit=1000${from}`);
    const changes = page.changes as { id: string }[];
    hasTicket ||= changes.some((change) => change.id === id);
    ({ position } = page);
    if (!page.has_more) break;
  }
  require(hasTicket, `the feed skipped the ticket ${id}`);
  return position;
}

/** Reads all tickets and requires their last acknowledged subjects. */
export async function checkTickets(
  { api, application, clientAuthorization }: LoadOptions,
  tickets: ReadonlyMap<string, string>,
): Promise<void> {
  const form = post({ grant_type: 'client_credentials', scope: SCOPE });
  const answer = await fetch(`${application.issuer}/token`, {
    ...form,
    headers: { Authorization: clientAuthorization },
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${access_token}` };
  for (const [id, subject] of tickets) {
    const response = await fetch(`${api}/ticket/${id}.json`, { headers });
    const found = (await response.json()) as { subject?: string };
    require(found.subject === subject, `the ticket ${id} is ${response.status} ${found.subject}`);
  }
}

function post(form: Record<string, string>): Sent {
  return { method: 'POST', body: new URLSearchParams(form) };
}

function require(isAsExpected: boolean, problem: string): asserts isAsExpected {
  if (!isAsExpected) throw new Error(problem);
}
