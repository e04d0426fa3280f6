import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, isListening } from '@keydesk/testing';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { startServer } from '../bench/processes.ts';

/** Both apps on SQLite, without rate limits. */
export interface Deployment {
  issuer: string;
  api: string;
  /** Environment of the `keydesk` command. */
  authEnv: Readonly<Record<string, string>>;
}

/** Ways to run both apps: the processes of each, and the workers of each process. */
export const deployments = {
  'one process': { processes: 1, workers: 0 },
  'WORKERS=2': { processes: 1, workers: 2 },
  'two processes behind HAProxy': { processes: 2, workers: 0 },
} as const;

export type DeploymentName = keyof typeof deployments;

/** Starts a deployment in a folder; `started` stops its programs. */
export async function startDeployment(
  name: DeploymentName,
  { folder, started }: { folder: string; started: AsyncDisposableStack },
): Promise<Deployment> {
  const { processes, workers } = deployments[name];
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const issuer = `http://127.0.0.1:${authPort}`;
  const api = `http://127.0.0.1:${apiPort}`;
  const env = {
    ISSUER: issuer,
    BASE_URL: api,
    API_AUDIENCE: api,
    MASTER_SECRET_FILE: join(folder, 'master-secret'),
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
    AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    // All sign-ins come from one address, which may use a quarter of the queue.
    PASSWORD_HASH_QUEUE: '400',
    ...(processes > 1 && { TRUSTED_PROXY_HOPS: '1' }),
    ...(workers > 0 && { WORKERS: String(workers) }),
  };
  createDevelopmentSecret(env.MASTER_SECRET_FILE);
  const authEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}` };
  const apiEnv = { ...env, STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}` };
  const start = async (
    script: string,
    setting: string,
    variables: Readonly<Record<string, string>>,
    first: number,
  ) => {
    const ports = processes === 1 ? [first] : [await findFreePort(), await findFreePort()];
    for (const port of ports)
      started.adopt(await startServer(script, port, { ...variables, [setting]: String(port) }), (each) =>
        each.stop(),
      );
    return ports;
  };
  const auths = await start('apps/auth/src/main.ts', 'AUTH_PORT', authEnv, authPort);
  const apis = await start('apps/tickets-api/src/main.ts', 'API_PORT', apiEnv, apiPort);
  if (processes > 1) await startHaproxy({ folder, started, ports: { [authPort]: auths, [apiPort]: apis } });
  return { issuer, api, authEnv };
}

/** Distributes the connections of each port among others. */
async function startHaproxy({
  folder,
  started,
  ports,
}: {
  folder: string;
  started: AsyncDisposableStack;
  ports: Readonly<Record<string, readonly number[]>>;
}): Promise<void> {
  const file = join(folder, 'haproxy.cfg');
  const sections = Object.entries(ports).map(([port, servers]) =>
    [
      `listen p${port}`,
      `  bind 127.0.0.1:${port}`,
      ...servers.map((server) => `  server s${server} 127.0.0.1:${server}`),
    ].join('\n'),
  );
  const defaults = [
    'defaults',
    '  mode http',
    '  option forwardfor',
    '  timeout connect 5s',
    '  timeout client 5m',
    '  timeout server 5m',
  ];
  writeFileSync(file, `${defaults.join('\n')}\n${sections.join('\n')}\n`);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  started.defer(async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  });
  for (const port of Object.keys(ports)) while (!(await isListening(Number(port))));
}
