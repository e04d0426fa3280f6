import { randomBytes } from 'node:crypto';
import { findFreePort } from '@keydesk/testing';
import { poll } from '../rolling-restart/poll.ts';
import { check } from './command.ts';
import type { Container, Engine } from './engine.ts';

const SCOPE = 'tickets:read tickets:write';
const SHELLS = ['dash', 'bash'];
/** Enough for the checks while a server drains; a second signal ends it. */
const DRAIN_SECONDS = '300';

interface Server {
  container: Container;
  url: string;
}

interface Exchange {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams;
}

/**
 * Runs both images read-only, without capabilities and without a shell: registers a client by the command line,
 * fetches a token, makes a ticket, checks health, and stops both. @returns a line about it
 */
export async function runImages(engine: Engine): Promise<string> {
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const auth = startAuth(engine, { authPort, apiPort });
  const api = startApi(engine, { authPort, apiPort });
  for (const server of [auth, api]) await untilReady(server);
  await checkShells(auth.container);
  const token = await fetchToken(auth);
  const path = await createTicket(api, token);
  for (const server of [auth, api]) await checkHealth(engine, server);
  await checkDrain(engine, api, () => send(`${api.url}${path}`, { headers: bearer(token) }));
  const second = startApi(engine, { authPort, apiPort });
  await untilReady(second);
  await send(`${second.url}${path}`, { headers: bearer(token) });
  await checkDrain(engine, auth, () => send(`${auth.url}/jwks`));
  await checkDrain(engine, second, () => send(`${second.url}${path}`, { headers: bearer(token) }));
  return 'both ran read-only without capabilities, shells and root; a ticket was made with a token and outlived a restart; SIGTERM drained both';
}

interface Ports {
  authPort: number;
  apiPort: number;
}

function startAuth(engine: Engine, { authPort, apiPort }: Ports): Server {
  const url = `http://127.0.0.1:${authPort}`;
  const container = engine.start({
    name: 'auth',
    image: 'keydesk-auth',
    env: {
      AUTH_PORT: String(authPort),
      ISSUER: url,
      API_AUDIENCE: `http://127.0.0.1:${apiPort}`,
      MASTER_SECRET: randomBytes(32).toString('base64'),
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'support@example.com',
      DRAIN_SECONDS,
    },
    args: ['--volume=auth:/var/lib/keydesk', ...maskShells()],
  });
  return { container, url };
}

function startApi(engine: Engine, { authPort, apiPort }: Ports): Server {
  const url = `http://127.0.0.1:${apiPort}`;
  const env = {
    API_PORT: String(apiPort),
    BASE_URL: url,
    ISSUER: `http://127.0.0.1:${authPort}`,
    DRAIN_SECONDS,
  };
  const args = ['--volume=api:/var/lib/keydesk', ...maskShells()];
  return { container: engine.start({ name: 'api', image: 'keydesk-api', env, args }), url };
}

/** Hides the shells of the base image, so that the trial fails where one is needed. */
function maskShells(): string[] {
  return SHELLS.map((shell) => `--volume=/dev/null:/usr/bin/${shell}:ro`);
}

async function checkShells({ exec, name }: Container): Promise<void> {
  const hasShell = await exec(['/bin/sh', '-c', 'true']).then(
    () => true,
    () => false,
  );
  check(!hasShell, `${name} still has a shell; the trial proves nothing about it.`);
}

async function untilReady({ container, url }: Server): Promise<void> {
  let exit: number | null | undefined;
  void container.ended.then((code) => {
    exit = code;
  });
  await poll(`${container.name} to be ready`, async () => {
    check(exit === undefined, `${container.name} ended with ${exit}: ${container.log()}`);
    return (await statusOf(`${url}/readyz`)) === 200;
  });
}

async function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** Sends a request; resolves with the text of a successful response. */
async function send(url: string, options: Exchange = {}): Promise<string> {
  const response = await fetch(url, options);
  const text = await response.text();
  check(response.ok, `${options.method ?? 'GET'} ${url}: ${response.status} ${text}`);
  return text;
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

async function fetchToken({ container, url }: Server): Promise<string> {
  const options = ['--type', 'machine', '--name', 'Trial', '--role', 'agent', '--scope', SCOPE, '--json'];
  const client = JSON.parse(await container.exec(['keydesk', 'client', 'add', ...options]));
  const credentials = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPE });
  const headers = { Authorization: `Basic ${credentials}` };
  return JSON.parse(await send(`${url}/token`, { method: 'POST', headers, body })).access_token;
}

/** Creates a ticket; resolves with its path. */
async function createTicket({ url }: Server, token: string): Promise<string> {
  const headers = { ...bearer(token), 'Content-Type': 'application/json' };
  const body = JSON.stringify({ subject: 'Made in a container' });
  const { id } = JSON.parse(await send(`${url}/tickets.json`, { method: 'POST', headers, body }));
  const path = `/ticket/${id}.xml`;
  const text = await send(`${url}${path}`, { headers: bearer(token) });
  check(text.includes('Made in a container'), `${path} lacks the subject: ${text}`);
  return path;
}

async function checkHealth(engine: Engine, { container }: Server): Promise<void> {
  await engine.podman(['healthcheck', 'run', container.name]);
  await container.exec(['node', 'infra/container/health.ts']);
}

/** Sends SIGTERM: readiness ends, requests are served until a second signal, and the exit code is 0. */
async function checkDrain(
  engine: Engine,
  { container, url }: Server,
  request: () => Promise<string>,
): Promise<void> {
  const { name } = container;
  await container.signal('SIGTERM');
  await poll(`${name} to drain`, async () => (await statusOf(`${url}/readyz`)) === 503);
  await request();
  await engine.podman(['healthcheck', 'run', name]);
  const seesReady = await container.exec(['node', 'infra/container/health.ts']).then(
    () => true,
    () => false,
  );
  check(!seesReady, `The readiness check of ${name} succeeds although it drains.`);
  await container.signal('SIGTERM');
  const code = await container.ended;
  check(code === 0, `${name} ended with ${code}: ${container.log()}`);
}
