import { join } from 'node:path';
import { type Config, toTlsFiles } from '@keydesk/config';
import type { settings } from './settings.ts';

/** Environments of both apps and their local URLs. */
export interface Environments {
  issuer: string;
  api: string;
  auth: Readonly<Record<string, string>>;
  tickets: Readonly<Record<string, string>>;
  authReadyUrl: string;
  apiReadyUrl: string;
}

/** Derives the environment of each app from the settings of `npm start`; variables in `env` take precedence. */
export function toEnvironments(
  config: Config<typeof settings>,
  { folder, env }: { folder: string; env: NodeJS.ProcessEnv },
): Environments {
  const { host, authPort, apiPort, mongodbUrl, metricsPort, logLevel } = config;
  const origin = `${toTlsFiles(config) ? 'https' : 'http'}://${toUrlHost(host)}`;
  const issuer = env.ISSUER || `${origin}:${authPort}`;
  const api = (env.BASE_URL || `${origin}:${apiPort}`).replace(/\/+$/, '');
  // No load balancer has to detect the shutdown.
  const drainSeconds = env.DRAIN_SECONDS || '0';
  const shared = {
    HOST: host,
    ISSUER: issuer,
    DATA_DIR: folder,
    LOG_LEVEL: logLevel,
    DRAIN_SECONDS: drainSeconds,
  };
  return {
    issuer,
    api,
    auth: {
      ...shared,
      AUTH_PORT: String(authPort),
      API_AUDIENCE: api,
      STORAGE_URL: mongodbUrl ?? `sqlite:${join(folder, 'auth.db')}`,
      MAIL_FOLDER: env.MAIL_FOLDER || join(folder, 'mail'),
      ...(!env.MASTER_SECRET && { MASTER_SECRET_FILE: masterSecretFile(folder, env) }),
    },
    tickets: {
      ...shared,
      API_PORT: String(apiPort),
      BASE_URL: api,
      STORAGE_URL: mongodbUrl ?? `sqlite:${join(folder, 'tickets.db')}`,
      // The authorization server uses the port itself.
      ...(metricsPort !== undefined && { METRICS_PORT: String(metricsPort + 1) }),
    },
    authReadyUrl: `${origin}:${authPort}/readyz`,
    apiReadyUrl: `${origin}:${apiPort}/readyz`,
  };
}

export function masterSecretFile(folder: string, env: NodeJS.ProcessEnv): string {
  return env.MASTER_SECRET_FILE || join(folder, 'master-secret');
}

/** Returns the host name by which a server on a listen address is reachable locally. */
function toUrlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}
