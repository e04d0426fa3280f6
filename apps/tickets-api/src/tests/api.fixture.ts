import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJwks } from '@keydesk/access-token';
import { listen } from '@keydesk/server';
import { assertNoSecrets, startTestIssuer, type TestIssuer } from '@keydesk/testing';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { type AppDeps, createApp } from '../app.ts';
import { loadApiConfig } from '../config.ts';
import { type AnswerCheck, createAnswerCheck } from '../contract/check/answer-check.fixture.ts';
import { createTicketQueue } from '../helpdesk/commit/ticket-queue.ts';
import type { Storage } from '../helpdesk/storage.ts';
import { openStorage } from '../storage/open-storage.ts';

/** The API on a free port, with its own issuer. */
export interface TestApi {
  url: string;
  issuer: TestIssuer;
  storage: Storage;
  /** Every log line. */
  log: string[];
  /**
   * Sends a request with the token of an agent that has every scope, unless `headers` overrides it. An object is
   * sent as JSON. Throws for a response that violates the contract, and for a 5xx unless `mayFail`.
   */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<Answer>;
  /** Creates a ticket through the API. */
  addTicket(fields?: Record<string, unknown>): Promise<Record<string, unknown> & { id: string }>;
  /** Starts draining, as on SIGTERM. */
  drain(): void;
  /** Ends requests that wait for changes, as at the end of the drain period. */
  endWaits(): void;
  /** Stops the API and validates all XML responses against the XML Schemas. */
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON. */
  json: Record<string, unknown>;
}

/** Returns the body without the request id, which problem documents contain, so that bodies can be compared. */
export function withoutRequestId({ text, headers }: Answer): string {
  return text.replace(headers.get('X-Request-Id') ?? '', '');
}

const BASE_URL = 'http://api.example';
const allScopes = 'tickets:read tickets:write tickets:delete';

/**
 * Starts the real app over HTTP on the given storage, by default a SQLite file of its own. Only `mayFail` permits 5xx
 * responses.
 */
export async function startApi({
  storageUrl,
  env = {},
  mayFail = false,
  issuer: sharedIssuer,
  ...deps
}: {
  storageUrl?: string;
  env?: Record<string, string>;
  mayFail?: boolean;
  /** Issuer of another API, as a second process shares it; that API stops it. */
  issuer?: TestIssuer;
} & Partial<
  Pick<AppDeps, 'redis' | 'metrics' | 'now' | 'heartbeatMs' | 'mergeLimitMs' | 'operations'>
> = {}): Promise<TestApi> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-api-'));
  const issuer = sharedIssuer ?? (await startTestIssuer({ audience: BASE_URL }));
  const storage = await openStorage(storageUrl ?? `sqlite:${join(folder, 'tickets.db')}`);
  const log: string[] = [];
  const config = loadApiConfig({ BASE_URL, ISSUER: issuer.issuer, NODE_ENV: 'test', ...env });
  const app = createApp({
    config,
    storage,
    // Changes of one ticket are slow on a busy machine; refusals have tests of their own.
    queue: createTicketQueue({ maxWaitMs: 60_000 }),
    jwks: createJwks({ url: issuer.jwksUrl }),
    log: pino({ level: 'info' }, { write: (line) => void log.push(line) }),
    newId: uuidv7,
    ...deps,
  });
  const { url, close } = await listen(app.handler, { host: '127.0.0.1', port: 0 });
  const token = issuer.token({ role: 'agent', scope: allScopes });

  const answers = createAnswerCheck({ ...config, folder, mayFail, operations: deps.operations });
  const request = createClient(url, token, answers);

  return {
    url,
    issuer,
    storage,
    log,
    request,
    async addTicket(fields = {}) {
      const { json } = await request('POST', '/tickets.json', {
        subject: 'The printer is on fire',
        ...fields,
      });
      return json as Record<string, unknown> & { id: string };
    },
    drain: app.drain,
    endWaits: app.endWaits,
    async stop() {
      app.endWaits();
      await close();
      await storage.close();
      if (!sharedIssuer) await issuer.stop();
      await answers.finish();
      await rm(folder, { recursive: true });
      assertNoSecrets(log.join(''));
    },
  };
}

/** Creates a client that sends requests with a token, unless their headers override it, and checks the responses. */
function createClient(url: string, token: string, { check }: AnswerCheck): TestApi['request'] {
  return async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const all = {
      Authorization: `Bearer ${token}`,
      ...(!isRaw && { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(url + path, {
      method,
      headers: Object.fromEntries(given),
      body: isRaw ? ((body ?? null) as string | null) : JSON.stringify(body),
    });
    const { status, headers: received } = response;
    const text = await response.text();
    check(method, path, { status, headers: received, text });
    return {
      status,
      headers: received,
      text,
      get json() {
        return JSON.parse(text) as Record<string, unknown>;
      },
    };
  };
}
