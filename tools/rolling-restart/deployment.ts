import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { isReady, poll } from './poll.ts';

/** Two production processes of each app on shared SQLite files. */
export interface Deployment {
  startAuth(): Promise<void>;
  /**
   * Starts the API. @param jwksUrl URL through a proxy, because a process of the authorization server may restart
   */
  startApi(jwksUrl: string): Promise<void>;
  /** Adds a machine client; returns its `Authorization` header for the token endpoint. */
  addClient(): string;
  /** Restarts the first or second process of both apps; calls `whileDraining` until they exit. */
  restart(which: number, whileDraining: () => Promise<void>): Promise<void>;
  stop(): void;
}

export interface DeploymentOptions {
  folder: string;
  /** Ports of this run by port in the examples of tools/. */
  ports: ReadonlyMap<number, number>;
}

type Env = Readonly<Record<string, string>>;

interface ServerProcess {
  main: string;
  port: number;
  env: Env;
  child: ChildProcess;
}

const root = join(import.meta.dirname, '../..');
const AUTH_PORTS = [3000, 3010];
const API_PORTS = [3001, 3011];
export const SCOPE = 'tickets:read tickets:write';

/** Chooses a free port for each port in the examples of tools/. */
export async function choosePorts(): Promise<ReadonlyMap<number, number>> {
  const ports = new Map<number, number>();
  for (const port of [...AUTH_PORTS, ...API_PORTS]) ports.set(port, await findFreePort());
  return ports;
}

export function createDeployment({ folder, ports }: DeploymentOptions): Deployment {
  const authEnv = authSettings(folder);
  const auths: ServerProcess[] = [];
  const apis: ServerProcess[] = [];
  const portOf = (port: number) => ports.get(port) ?? port;
  return {
    async startAuth() {
      for (const port of AUTH_PORTS.map(portOf))
        auths.push(startServer('auth', port, { ...authEnv, AUTH_PORT: String(port) }));
      await Promise.all(auths.map(untilReady));
    },
    async startApi(jwksUrl) {
      const env = { ...apiSettings(folder), JWKS_URL: jwksUrl };
      for (const port of API_PORTS.map(portOf))
        apis.push(startServer('tickets-api', port, { ...env, API_PORT: String(port) }));
      await Promise.all(apis.map(untilReady));
    },
    addClient: () => addClient(authEnv),
    async restart(which, whileDraining) {
      const pair = [auths[which], apis[which]].filter((server) => server !== undefined);
      const ends = Promise.all(pair.map(end)).then(() => true);
      while (!(await Promise.race([ends, whileDraining().then(() => false)])));
      for (const server of pair) server.child = spawnServer(server);
      await Promise.all(pair.map(untilReady));
    },
    stop() {
      for (const { child } of [...auths, ...apis]) child.kill('SIGKILL');
    },
  };
}

const shared = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'error',
  ISSUER: 'https://auth.example.com',
  TRUSTED_PROXY_HOPS: '1',
};

function authSettings(folder: string): Env {
  return {
    ...shared,
    API_AUDIENCE: 'https://api.example.com',
    MASTER_SECRET: randomBytes(32).toString('base64'),
    STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'support@example.com',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
  };
}

function apiSettings(folder: string): Env {
  return {
    ...shared,
    BASE_URL: 'https://api.example.com',
    STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
  };
}

function startServer(app: string, port: number, env: Env): ServerProcess {
  const main = `apps/${app}/src/main.ts`;
  return { main, port, env, child: spawnServer({ main, env }) };
}

function spawnServer({ main, env }: Pick<ServerProcess, 'main' | 'env'>): ChildProcess {
  return spawn(process.execPath, [join(root, main)], { env, stdio: ['ignore', 'inherit', 'inherit'] });
}

async function untilReady({ main, port, child }: ServerProcess): Promise<void> {
  await poll(`${main} to be ready`, async () => {
    if (child.exitCode !== null) throw new Error(`${main} ended with ${child.exitCode}.`);
    return isReady(port);
  });
}

async function end({ main, child }: ServerProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const [code, signal] = await exit;
  if (code !== 0) throw new Error(`${main} ended with ${signal ?? code}.`);
}

function addClient(env: Env): string {
  const command = [
    'client',
    'add',
    '--type',
    'machine',
    '--name',
    'Load',
    '--role',
    'agent',
    '--scope',
    SCOPE,
  ];
  const output = execFileSync(
    process.execPath,
    [join(root, 'apps/auth/src/cli/main.ts'), ...command, '--json'],
    {
      env,
      encoding: 'utf8',
    },
  );
  const { client_id, client_secret } = JSON.parse(output);
  return `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
}
