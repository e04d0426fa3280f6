import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisConnection } from '@keydesk/rate-limit';
import { createLogger, listen, type Metrics } from '@keydesk/server';
import { assertNoSecrets } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import type { Account } from '../accounts/account/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { NewAccountRequest } from '../accounts/changes/administration.ts';
import { createApp } from '../app.ts';
import type { ClientRequest } from '../clients/client-rules.ts';
import type { Clients, ClientWithSecret } from '../clients/clients.ts';
import { createAccountServices } from '../composition/accounts.ts';
import { assembleClients } from '../composition/clients.ts';
import { type AuthConfig, loadAuthConfig } from '../config.ts';
import { deriveKeys } from '../keys/derived-keys.ts';
import type { Storage } from '../storage/storage.ts';

export const API = 'https://api.example';
export const masterSecret = randomBytes(32).toString('base64url');

export const password = 'kindly yellow umbrella';
const cheapHashes = { memoryKib: 64, passes: 1, parallelism: 1 };
const operator = { address: 'cli', actor: 'operator' };

export interface TestServerOptions {
  config?: Partial<AuthConfig>;
  redis?: RedisConnection;
  metrics?: Metrics;
  commonPasswords?: ReadonlySet<string>;
  /** Default: a free port. */
  port?: number;
  /** Host of the issuer; default: the loopback address. */
  host?: 'localhost';
}

/** A running server with its clients, clock and log. */
export interface TestServer {
  url: string;
  clients: Clients;
  /** Accounts as operators manage them, outside the server. */
  accounts: Accounts;
  /** Adds an account with `password`; default role: customer. */
  addAccount(request?: Partial<NewAccountRequest>): Promise<Account>;
  /** Registers a machine client; default: an agent with all API scopes. */
  addClient(request?: Partial<ClientRequest>): Promise<ClientWithSecret & { id: string }>;
  /** Milliseconds by which the server's clock is ahead. */
  time: { ahead: number };
  /** Every line logged so far. */
  lines(): Record<string, unknown>[];
  /** The logged lines as raw text. */
  logged(): string;
  /** Sends a form to the token endpoint. */
  requestToken(
    form: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** Creates the clock of a server, which the test can set ahead. */
function createClock() {
  const time = { ahead: 0 };
  return [time, () => new Date(Date.now() + time.ahead)] as const;
}

/** Starts the server on a free port; the storage stays open when it stops. */
export async function startTestServer(
  storage: Storage,
  options: TestServerOptions = {},
): Promise<TestServer> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'test', level: 'debug', isPretty: false, destination });
  const [time, now] = createClock();
  let handle: RequestListener = (_, response) => response.writeHead(503).end();
  const server = await listen((request, response) => handle(request, response), {
    host: '127.0.0.1',
    port: options.port ?? 0,
  });
  const url = server.url.replace('127.0.0.1', options.host ?? '127.0.0.1');
  const config = {
    ...loadAuthConfig({ MASTER_SECRET: masterSecret, ISSUER: url, API_AUDIENCE: API }),
    mailFolder: join(tmpdir(), `keydesk-mail-${uuidv7()}`),
    authorizationRateLimitPerAddress: 0,
    tokenRateLimitPerAddress: 0,
    tokenRateLimitPerClient: 0,
    ...options.config,
  };
  const app = await createApp({ ...options, config, storage, log, now, passwordParameters: cheapHashes });
  handle = app.handle;
  const derived = deriveKeys(masterSecret);
  const accountServices = createAccountServices({
    config,
    storage,
    log,
    derived,
    now,
    passwordParameters: cheapHashes,
  });
  const clients = assembleClients({ storage, derived, now });
  return {
    url,
    clients,
    accounts: accountServices.accounts,
    addAccount: (request) =>
      accountServices.accounts.add(
        { email: `${uuidv7()}@example.org`, role: 'customer', password, ...request },
        operator,
      ),
    time,
    async addClient(request) {
      const scopes = ['tickets:read', 'tickets:write', 'tickets:delete'];
      const added = await clients.add({ type: 'machine', name: 'Test', role: 'agent', scopes, ...request });
      return { ...added, id: added.client.id };
    },
    lines: () => lines.map((line) => JSON.parse(line)),
    logged: () => lines.join(''),
    requestToken: (form, headers = {}) =>
      fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(form), headers }),
    async stop() {
      await server.close();
      await app.stop();
      await accountServices.stop();
      await rm(config.mailFolder, { recursive: true, force: true });
      assertNoSecrets(lines.join(''), [password]);
    },
  };
}

/** Builds the header of `client_secret_basic` (RFC 6749 §2.3.1). */
export function basic(id: string, secret: string | null): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}
