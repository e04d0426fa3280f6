import './start/lifeline.ts';
import { accessSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '@keydesk/config';
import { releaseStartUpMemory } from '@keydesk/server/start-up-memory';
import { ensureFolder } from '@keydesk/storage/folder';
import { createDevelopmentSecret } from '../apps/auth/src/keys/master-secret.ts';
import { banner } from './start/banner.ts';
import { addDemoAccounts } from './start/demo-accounts.ts';
import { ensureDemoClients } from './start/demo-clients.ts';
import { ensureDocsClient } from './start/docs-client.ts';
import { masterSecretFile, toEnvironments } from './start/environments.ts';
import { requireFreePort } from './start/free-port.ts';
import { createKeydesk } from './start/keydesk.ts';
import { startPrograms } from './start/programs.ts';
import { ensureSecurityEventsClient } from './start/security-events-client.ts';
import { refuseSharedPort, refuseStorageUrl, settings } from './start/settings.ts';
import { usage } from './start/usage.ts';

// `npm start`: runs both apps on this machine with development defaults. In production each server is started by its
// own main.ts (see tools/).
const startedAt = performance.now();
const { env } = process;

const [argument] = process.argv.slice(2);

try {
  process.exitCode = argument === undefined ? await start() : explain(argument);
} catch (err) {
  console.error(err instanceof Error ? err.message : String(err));
  process.exitCode = 1;
}

/** Runs both apps until a signal arrives or one of them exits; resolves with the exit code. */
async function start(): Promise<number> {
  const config = loadConfig(settings, env, (given) => [...refuseSharedPort(given), ...refuseStorageUrl(env)]);
  const { host, authPort, apiPort } = config;
  const folder = prepareDataFolder(config.dataDir);
  await requireFreePort(host, authPort, 'AUTH_PORT');
  await requireFreePort(host, apiPort, 'API_PORT');

  const { issuer, api, auth, tickets, authReadyUrl, apiReadyUrl } = toEnvironments(config, { folder, env });
  const isProduction = env.NODE_ENV === 'production';
  if (!isProduction && !env.MASTER_SECRET) createDevelopmentSecret(masterSecretFile(folder, env));
  const running = startPrograms([
    {
      name: 'The authorization server',
      script: 'apps/auth/src/main.ts',
      env: { ...env, ...auth },
      readyUrl: authReadyUrl,
    },
  ]);
  const signalled = new Promise<undefined>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(undefined));
  });
  using keydesk = createKeydesk({ ...env, ...auth });
  async function findDocsClient(): Promise<string | undefined> {
    if (isProduction || env.DOCS_CLIENT_ID) return env.DOCS_CLIENT_ID;
    const file = join(folder, 'docs-client.json');
    return ensureDocsClient({ file, api, keydesk, authReady: running.ready });
  }
  async function findSecurityEventsClient(): Promise<Readonly<Record<string, string>>> {
    if (isProduction || env.SECURITY_EVENTS_CLIENT_ID) return {};
    const file = join(folder, 'security-events-client.json');
    return ensureSecurityEventsClient({ file, keydesk, authReady: running.ready });
  }
  async function serve(): Promise<string> {
    const docsClientId = await findDocsClient();
    const securityEvents = await findSecurityEventsClient();
    running.add({
      name: 'The helpdesk API',
      script: 'apps/tickets-api/src/main.ts',
      env: { ...env, ...tickets, ...securityEvents, ...(docsClientId && { DOCS_CLIENT_ID: docsClientId }) },
      readyUrl: apiReadyUrl,
    });
    await running.ready();
    const file = join(folder, 'demo-clients.json');
    const demo = isProduction ? undefined : await ensureDemoClients({ file, issuer, api, keydesk });
    const accounts = isProduction ? [] : await addDemoAccounts(join(folder, 'demo-accounts.json'), keydesk);
    keydesk[Symbol.dispose]();
    releaseStartUpMemory();
    console.log(banner({ issuer, api, demo, accounts, seconds: (performance.now() - startedAt) / 1000 }));
    return running.firstEnd;
  }

  try {
    const ended = await Promise.race([signalled, serve()]);
    if (ended === undefined) return 0;
    console.error(`${ended}; stopping the other.`);
    return 1;
  } finally {
    await running.stop();
  }
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
