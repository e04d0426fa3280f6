import './lifeline.ts';
import { accessSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '@keydesk/config';
import { ensureFolder } from '@keydesk/storage/folder';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { banner } from './banner.ts';
import { addDemoAccounts } from './demo-accounts.ts';
import { ensureDemoClients } from './demo-clients.ts';
import { ensureDocsClient } from './docs-client.ts';
import { masterSecretFile, toEnvironments } from './environments.ts';
import { requireFreePort } from './free-port.ts';
import { createKeydesk } from './keydesk.ts';
import type { Program } from './programs.ts';
import { untilReady } from './readiness.ts';
import { ensureSecurityEventsClient } from './security-events-client.ts';
import { refuseSharedPort, refuseStorageUrl, settings } from './settings.ts';
import { usage } from './usage.ts';

// The part of `npm start` that ends when both apps are ready: it reads the settings, has the apps started, and registers
// clients and accounts for development.
const { env } = process;

const [argument] = process.argv.slice(2);

try {
  if (argument === undefined) await setUp();
  else process.exitCode = explain(argument);
} catch (err) {
  console.error(err instanceof Error ? err.message : String(err));
  process.exitCode = 1;
}

async function setUp(): Promise<void> {
  const config = loadConfig(settings, env, (given) => [...refuseSharedPort(given), ...refuseStorageUrl(env)]);
  const { host, authPort, apiPort } = config;
  const folder = prepareDataFolder(config.dataDir);
  await requireFreePort(host, authPort, 'AUTH_PORT');
  await requireFreePort(host, apiPort, 'API_PORT');

  const { issuer, api, auth, tickets, authReadyUrl, apiReadyUrl } = toEnvironments(config, { folder, env });
  const isProduction = env.NODE_ENV === 'production';
  if (!isProduction && !env.MASTER_SECRET) createDevelopmentSecret(masterSecretFile(folder, env));
  const authProgram = {
    name: 'The authorization server',
    script: 'apps/auth/src/main.ts',
    env: { ...env, ...auth },
    readyUrl: authReadyUrl,
  };
  await start(authProgram);
  const keydesk = createKeydesk({ ...env, ...auth });
  const authReady = () => untilReady(authProgram);
  const file = (name: string) => join(folder, name);

  async function findDocsClient(): Promise<string | undefined> {
    if (isProduction || env.DOCS_CLIENT_ID) return env.DOCS_CLIENT_ID;
    return ensureDocsClient({ file: file('docs-client.json'), api, keydesk, authReady });
  }
  async function findSecurityEventsClient(): Promise<Readonly<Record<string, string>>> {
    if (isProduction || env.SECURITY_EVENTS_CLIENT_ID) return {};
    return ensureSecurityEventsClient({ file: file('security-events-client.json'), keydesk, authReady });
  }
  const docsClientId = await findDocsClient();
  const securityEvents = await findSecurityEventsClient();
  const apiProgram = {
    name: 'The helpdesk API',
    script: 'apps/tickets-api/src/main.ts',
    env: { ...env, ...tickets, ...securityEvents, ...(docsClientId && { DOCS_CLIENT_ID: docsClientId }) },
    readyUrl: apiReadyUrl,
  };
  await start(apiProgram);
  await Promise.all([authReady(), untilReady(apiProgram)]);
  const clients = { file: file('demo-clients.json'), issuer, api, keydesk };
  const demo = isProduction ? undefined : await ensureDemoClients(clients);
  const accounts = isProduction ? [] : await addDemoAccounts(file('demo-accounts.json'), keydesk);
  console.log(banner({ issuer, api, demo, accounts, seconds: performance.now() / 1000 }));
}

/** Has the parent process start a program. */
function start(program: Program): Promise<void> {
  return new Promise((sent, fail) => {
    process.send?.(program, (err: Error | null) => (err ? fail(err) : sent()));
  });
}

/** Handles an argument: prints the usage for --help and rejects all others, which would have no effect. */
function explain(asked: string): number {
  const isHelp = ['--help', '-h'].includes(asked);
  if (isHelp) console.log(usage(settings));
  else
    console.error(
      `npm start takes no arguments, but got ${asked} (use npm start -- --help for its settings).`,
    );
  return isHelp ? 0 : 2;
}

/** Creates the data folder. @throws {Error} with one sentence when it is not writable */
function prepareDataFolder(dataDir: string): string {
  const folder = resolve(dataDir);
  try {
    ensureFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (err) {
    throw new Error(`The data folder ${folder} is not writable; set DATA_DIR to a writable folder.`, {
      cause: err,
    });
  }
  return folder;
}
