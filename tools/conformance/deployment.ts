import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@keydesk/config';
import { createCertificate, findFreePort } from '@keydesk/testing';
import { runCli } from '../../apps/auth/src/cli/program.ts';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { masterSecretFile, toEnvironments } from '../start/environments.ts';
import { startPrograms } from '../start/programs.ts';
import { settings } from '../start/settings.ts';

/** Both apps for a local suite, with one account that has every standard claim. */
export interface Deployment {
  issuer: string;
  api: string;
  account: { email: string; password: string };
  /** Path of the certificate of both apps. */
  certificateFile: string;
  /** Path of the private key of the certificate. */
  keyFile: string;
  /** Registers a client with arguments of `client add`. */
  addClient(...args: readonly string[]): Promise<{ client_id: string; client_secret?: string }>;
  /** Runs a `keydesk` command and returns its output. @throws {Error} with the error output of the command */
  run(...args: readonly string[]): Promise<string>;
  /** Writes a file that exists as long as the deployment, and returns its path. */
  writeFile(name: string, content: unknown): string;
  stop(): Promise<void>;
}

const profile = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  middle_name: 'King',
  nickname: 'Ada',
  preferred_username: 'ada',
  profile: 'https://example.com/ada',
  picture: 'https://example.com/ada.png',
  website: 'https://example.com',
  gender: 'female',
  birthdate: '0000-12-10',
  zoneinfo: 'Europe/London',
  locale: 'en-GB',
  phone_number: '+441632960001',
  address: { formatted: "12 St James's Square, London", country: 'GB' },
};

// The suite sends all requests from one address, which would exceed the limits.
const unlimited = {
  AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
  TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
  DYNAMIC_REGISTRATION_RATE_LIMIT_PER_ADDRESS: '0',
  LOG_LEVEL: 'warn',
};

/**
 * Starts both apps at `https://localhost` on free ports with new databases, and adds the account. They do not inherit
 * settings of the shell.
 */
export async function startDeployment(own: Readonly<Record<string, string>>): Promise<Deployment> {
  const ports = { auth: await findFreePort(), api: await findFreePort() };
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-conformance-'));
  const listen = { HOST: 'localhost', AUTH_PORT: String(ports.auth), API_PORT: String(ports.api) };
  const env = { ...unlimited, ...writeCertificate(folder), ...listen, ...own };
  createDevelopmentSecret(masterSecretFile(folder, env));
  const at = toEnvironments(loadConfig(settings, env), { folder, env });
  const running = startPrograms([
    { name: 'auth', script: 'apps/auth/src/main.ts', env: { ...env, ...at.auth }, readyUrl: at.authReadyUrl },
    {
      name: 'api',
      script: 'apps/tickets-api/src/main.ts',
      env: { ...env, ...at.tickets },
      readyUrl: at.apiReadyUrl,
    },
  ]);
  async function stop(): Promise<void> {
    await running.stop();
    rmSync(folder, { recursive: true });
  }
  try {
    await running.ready();
    const keydesk = createCommands({ ...env, ...at.auth });
    return {
      issuer: at.issuer,
      api: at.api,
      account: await addAccount(keydesk),
      certificateFile: env.TLS_CERT_FILE,
      keyFile: env.TLS_KEY_FILE,
      addClient: async (...args) => JSON.parse(await keydesk(['client', 'add', ...args, '--json'])),
      run: (...args) => keydesk(args),
      writeFile: (name, content) => write(join(folder, name), JSON.stringify(content)),
      stop,
    };
  } catch (err) {
    await stop();
    throw err;
  }
}

/**
 * Writes a certificate for `localhost`. The API trusts it to fetch keys. The authorization server trusts the suite's
 * certificate to send logout notifications.
 */
function writeCertificate(folder: string) {
  const { cert, key } = createCertificate('rsa');
  const { NODE_EXTRA_CA_CERTS: ofSuite } = process.env;
  const trusted = ofSuite ? cert + readFileSync(ofSuite, 'utf8') : cert;
  return {
    TLS_CERT_FILE: write(join(folder, 'cert.pem'), cert),
    TLS_KEY_FILE: write(join(folder, 'key.pem'), key),
    NODE_EXTRA_CA_CERTS: write(join(folder, 'trusted.pem'), trusted),
  };
}

function write(path: string, content: string): string {
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

type Commands = ReturnType<typeof createCommands>;

/** Creates a function that runs `keydesk` commands. @throws {Error} with the error output of a command */
function createCommands(env: NodeJS.ProcessEnv) {
  return async function keydesk(args: readonly string[], input = ''): Promise<string> {
    const printed: string[] = [];
    const faults: string[] = [];
    const print = (text: string) => void printed.push(text);
    const printError = (text: string) => void faults.push(text);
    const code = await runCli(args, { env, print, printError, readInput: async () => input });
    if (code !== 0) throw new Error(`keydesk ${args.slice(0, 2).join(' ')}: ${faults.join(' ')}`);
    return printed.join('');
  };
}

async function addAccount(keydesk: Commands) {
  const account = { email: 'suite@example.com', password: randomBytes(12).toString('base64url') };
  const added = ['--email', account.email, '--role', 'customer', '--password-stdin'];
  await keydesk(['account', 'add', ...added], account.password);
  await keydesk(['account', 'set-profile', account.email], JSON.stringify(profile));
  return account;
}
