import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, type Program, startProgram, untilReady } from '@keydesk/testing';
import { type Balancer, startBalancer } from './balancer.ts';

const run = promisify(execFile);

/** A version of both apps. */
export interface Version {
  name: string;
  /** Folder of its checkout. */
  root: string;
}

export interface StorageUrls {
  auth: string;
  api: string;
}

/** Both apps of one version, running. */
export interface Running {
  /** Sends them no further requests, then ends them and requires exit code 0. */
  end(): Promise<void>;
  /** Kills them with SIGKILL, as a machine that fails. */
  kill(): Promise<void>;
}

/** Databases and load balancers of both apps, on which several versions run. */
export interface Deployment {
  auth: Balancer;
  api: Balancer;
  /** Starts both apps of a version; resolves when they are ready and get requests. */
  start(version: Version): Promise<Running>;
  /** Runs a command of the authorization server and returns its JSON output. */
  operate<T>(version: Version, args: readonly string[], input?: string): Promise<T>;
  stop(): void;
}

type Env = Readonly<Record<string, string>>;

/** Creates a deployment without servers. */
export async function createDeployment(folder: string, storage: StorageUrls): Promise<Deployment> {
  const [auth, api] = await Promise.all([startBalancer(), startBalancer()]);
  const shared = { NODE_ENV: 'test', LOG_LEVEL: 'error', ISSUER: auth.url };
  const authEnv = { ...shared, ...authSettings(folder), STORAGE_URL: storage.auth, API_AUDIENCE: api.url };
  const apiEnv = { ...shared, ...apiSettings, STORAGE_URL: storage.api, BASE_URL: api.url };
  const programs = new Set<Program>();

  async function startApp(version: Version, app: string, env: Env, balancer: Balancer): Promise<Running> {
    const port = await findFreePort();
    const main = join(version.root, 'apps', app, 'src/main.ts');
    const program = startProgram(main, { env: { ...env, AUTH_PORT: String(port), API_PORT: String(port) } });
    programs.add(program);
    await untilReady(`http://127.0.0.1:${port}`, program);
    const target = { name: version.name, port };
    balancer.add(target);
    return {
      async end() {
        await balancer.remove(target);
        program.child.kill('SIGTERM');
        const { code, stdout, stderr } = await program.ended;
        if (code !== 0 || stdout + stderr !== '')
          throw new Error(`${version.name} of ${app} ended with ${code}: ${stdout}${stderr}`);
      },
      async kill() {
        program.child.kill('SIGKILL');
        await Promise.all([program.ended, balancer.remove(target)]);
      },
    };
  }

  return {
    auth,
    api,
    async start(version) {
      // The API fetches the keys at its start.
      const first = await startApp(version, 'auth', authEnv, auth);
      const second = await startApp(version, 'tickets-api', apiEnv, api);
      return {
        end: async () => void (await Promise.all([first.end(), second.end()])),
        kill: async () => void (await Promise.all([first.kill(), second.kill()])),
      };
    },
    async operate(version, args, input = '') {
      const cli = join(version.root, 'apps/auth/src/cli/main.ts');
      const running = run(process.execPath, [cli, ...args, '--json'], {
        env: { ...process.env, ...authEnv },
      });
      running.child.stdin?.end(input);
      return JSON.parse((await running).stdout);
    },
    stop() {
      for (const { child } of programs) child.kill('SIGKILL');
      auth.stop();
      api.stop();
    },
  };
}

function authSettings(folder: string): Env {
  return {
    MASTER_SECRET: randomBytes(32).toString('base64url'),
    MAIL_FOLDER: join(folder, 'mail'),
    AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
  };
}

const apiSettings = { RATE_LIMIT_READS_PER_MINUTE: '0', RATE_LIMIT_WRITES_PER_MINUTE: '0' };
