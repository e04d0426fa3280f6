import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPE } from './deployment.ts';
import { poll } from './poll.ts';
import type { RunningProxy } from './proxies.ts';

export interface LoadOptions {
  proxy: Pick<RunningProxy, 'name' | 'port'>;
  clientAuthorization: string;
  /** Number of requests. */
  requests: number;
  /** Whether the last restart has ended. */
  isOver: () => boolean;
}

export interface LoadReport {
  answered: number;
  posts: number;
  /** Responses other than 2xx and broken connections. */
  failures: string[];
}

interface Sent {
  host: string;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Received {
  status: number | undefined;
  body: string;
}

const CONNECTIONS = 16;
const PER_SECOND = 170;
/** Share of requests reserved for restarts that take longer than expected. */
const RESERVE = 0.1;
const RESERVE_PAUSE_MS = 50;

/** Sends requests to both apps over keep-alive connections at a limited rate; four of ten are POSTs. */
export async function sendLoad({
  proxy,
  clientAuthorization,
  requests,
  isOver,
}: LoadOptions): Promise<LoadReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (sent: Sent) => exchange(agent, proxy.port, sent);
  const report: LoadReport = { answered: 0, posts: 0, failures: [] };
  const askForToken = toTokenRequest(clientAuthorization);
  await poll(
    `${proxy.name} to reach the authorization server`,
    async () => (await send(askForToken)).status === 200,
  );
  const authorization = `Bearer ${JSON.parse((await send(askForToken)).body).access_token}`;
  const listTickets = toApiRequest(authorization);
  await poll(`${proxy.name} to reach the API`, async () => (await send(listTickets)).status === 200);
  const startedAt = performance.now();
  let next = 0;

  async function sendOne(index: number): Promise<void> {
    const sent = chooseRequest(index, { askForToken, listTickets });
    if (sent.method === 'POST') report.posts += 1;
    try {
      const { status = 0, body } = await send(sent);
      if (status >= 200 && status < 300) report.answered += 1;
      else report.failures.push(`${sent.method ?? 'GET'} ${sent.path}: ${status} ${body.slice(0, 200)}`);
    } catch (err) {
      report.failures.push(`${sent.method ?? 'GET'} ${sent.path}: ${err}`);
    }
  }

  /** Returns the milliseconds until a request is due. */
  function untilDue(index: number): number {
    if (isOver()) return 0;
    if (index > requests * (1 - RESERVE)) return RESERVE_PAUSE_MS * CONNECTIONS;
    return Math.max(0, startedAt + (index * 1_000) / PER_SECOND - performance.now());
  }

  async function keepSending(): Promise<void> {
    while (next < requests) {
      const index = next++;
      await sleep(untilDue(index));
      await sendOne(index);
    }
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, keepSending));
  agent.destroy();
  return report;
}

function toTokenRequest(clientAuthorization: string): Sent {
  return {
    host: 'auth.example.com',
    method: 'POST',
    path: '/token',
    headers: { Authorization: clientAuthorization, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPE }).toString(),
  };
}

function toApiRequest(authorization: string): Sent {
  return {
    host: 'api.example.com',
    path: '/tickets.json?limit=5',
    headers: { Authorization: authorization },
  };
}

/** Chooses a request: of ten, one token, one key set, three new tickets and five lists. */
function chooseRequest(
  index: number,
  { askForToken, listTickets }: { askForToken: Sent; listTickets: Sent },
): Sent {
  const kind = index % 10;
  if (kind === 0) return askForToken;
  if (kind === 1) return { host: 'auth.example.com', path: '/jwks' };
  if (kind > 4) return listTickets;
  const headers = { ...listTickets.headers, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ subject: `Ticket ${index}` });
  return { ...listTickets, method: 'POST', path: '/tickets.json', headers, body };
}

/** Sends one request with a Host header to a local port. */
export function exchange(
  agent: Agent | false,
  port: number,
  { host, body, headers, ...sent }: Sent,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    request({ ...sent, agent, port, host: '127.0.0.1', headers: { ...headers, Host: host } })
      .once('response', (response) =>
        text(response).then((received) => resolve({ status: response.statusCode, body: received }), reject),
      )
      .once('error', reject)
      .end(body);
  });
}
