import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { poll } from '../rolling-restart/poll.ts';

const HEAP = '-Xms64m -Xmx512m';
/** The first start of a version takes minutes on a busy machine, because Keycloak assembles itself. */
const READY_LIMIT_MS = 600_000;
const STOP_LIMIT_MS = 30_000;
const admin = { username: 'admin', password: 'password of the judge' };

/** Keycloak in development mode, with its own database. */
export interface Keycloak {
  url: string;
  /** Returns the issuer of a realm. */
  issuerOf(realm: string): string;
  /** Sends a request to the administration API, below `/admin/realms`. @throws {Error} unless it succeeds */
  administer<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Starts it, or restarts it with the same database after `stop`; resolves when it is ready. */
  start(): Promise<void>;
  /** Stops it, even while it starts. */
  stop(): Promise<void>;
}

export interface KeycloakOptions {
  /** Folder of the distribution. */
  home: string;
  port: number;
  /** Certificate and private key for loopback addresses, which Keydesk uses, too. */
  certificateFile: string;
  keyFile: string;
  logFile: string;
}

/** Prepares Keycloak with a new database. */
export function createKeycloak(options: KeycloakOptions): Keycloak {
  const { home, port, certificateFile, keyFile, logFile } = options;
  const url = `https://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  rmSync(join(home, 'data'), { recursive: true, force: true });

  async function stop(): Promise<void> {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    signal(child.pid, 'SIGTERM');
    const { pid } = child;
    const kill = setTimeout(() => signal(pid, 'SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(kill);
  }

  async function start(): Promise<void> {
    const log = openSync(logFile, 'a');
    const listen = [
      ...['--http-enabled=false', '--http-host=127.0.0.1', `--https-port=${port}`],
      ...[`--https-certificate-file=${certificateFile}`, `--https-certificate-key-file=${keyFile}`],
      `--truststore-paths=${certificateFile}`,
    ];
    // A process group of its own, because the shell script starts Java.
    const started = spawn('sh', [join(home, 'bin/kc.sh'), 'start-dev', ...listen], {
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        ...process.env,
        JAVA_OPTS_KC_HEAP: HEAP,
        KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
      },
    });
    closeSync(log);
    child = started;
    // An interrupted check may end this process before `stop` is called.
    const kill = () => started.pid !== undefined && signal(started.pid, 'SIGKILL');
    process.once('exit', kill);
    started.once('exit', () => process.off('exit', kill));
    const hasEnded = () => started.exitCode !== null || started.signalCode !== null;
    const isReady = async () => {
      if (hasEnded()) throw new Error(`Keycloak ended:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
      return fetch(`${url}/realms/master`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await poll('Keycloak to be ready', isReady, READY_LIMIT_MS);
  }

  return {
    url,
    issuerOf: (realm) => `${url}/realms/${realm}`,
    administer: (method, path, body) => administer(url, { method, path, body }),
    stop,
    start,
  };
}

/** Signals a process group; one that has ended is ignored. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (err) {
    if (!(err instanceof Error && 'code' in err && err.code === 'ESRCH')) throw err;
  }
}

interface Call {
  method: string;
  path: string;
  body: unknown;
}

async function administer<Answer>(url: string, { method, path, body }: Call): Promise<Answer> {
  const token = await send(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...admin }),
  });
  const { access_token: accessToken } = JSON.parse(token) as { access_token: string };
  const answer = await send(`${url}/admin/realms${path}`, {
    method,
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (answer === '' ? undefined : JSON.parse(answer)) as Answer;
}

async function send(url: string, request: RequestInit): Promise<string> {
  const response = await fetch(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request.method} ${url}: ${response.status} ${text}`);
  return text;
}
