import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Account } from '../../accounts/account/account.ts';
import { runCli } from '../../cli/program.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { createSqliteDatabase } from '../../storage/test-database.fixture.ts';
import { type Mailbox, startMailbox } from '../../web/account/mailbox.fixture.ts';
import { type HostileProvider, startHostileProvider } from '../../web/upstream/hostile-provider.fixture.ts';
import {
  masterSecret,
  password,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../test-server.fixture.ts';
import { APPLICATION_HOST, type Application, startApplication } from './application.fixture.ts';

/** A running server with an application, a mailbox and a browser. */
export interface World {
  server: TestServer;
  application: Application;
  mailbox: Mailbox;
  /** Provider at which users can sign in, if the suite has one. */
  upstream: HostileProvider | undefined;
  browser: Browser;
  /** Runs a CLI command on the server's database; rejects unless it exits with 0. */
  operate(...args: string[]): Promise<void>;
}

/** Mailbox of the operator. */
export const OPERATOR_EMAIL = 'operator@example.org';

export interface UsedWorld {
  get(): World;
  /** Opens a page with a new browser profile until the test ends. */
  openWindow(options?: BrowserContextOptions): Promise<Page>;
  /** Adds an account and opens the application's home page. */
  openApplication(options?: BrowserContextOptions): Promise<{ page: Page; account: Account }>;
}

/** Timeout of a step, which only a failing test reaches. */
export const STEP_LIMIT_MS = 60_000;

/** Arguments of Chromium: resolve the application's hosts to loopback, and no sandbox for root. */
export const chromiumArguments = [
  `--host-resolver-rules=MAP ${APPLICATION_HOST} 127.0.0.1, MAP *.${APPLICATION_HOST} 127.0.0.1`,
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

interface WorldOptions extends Pick<TestServerOptions, 'host'> {
  /** Whether users can sign in at a provider. */
  hasProvider?: boolean;
}

/** Runs the world for the current suite, with one browser. */
export function useWorld(
  executablePath: string,
  { hasProvider = false, ...options }: WorldOptions = {},
): UsedWorld {
  let world: World | undefined;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const database = await createSqliteDatabase();
    const storage = await openStorage(database.location);
    const mailbox = await startMailbox();
    const upstream = hasProvider ? await startHostileProvider() : undefined;
    const identityProviders = upstream ? [upstream.toProvider()] : [];
    const config = { ...mailbox.config, operatorEmail: OPERATOR_EMAIL, identityProviders };
    const server = await startTestServer(storage, { ...options, config });
    const application = await startApplication(server.url);
    const browser = await chromium.launch({ executablePath, args: chromiumArguments });
    const env = { STORAGE_URL: database.location.url, SMTP_URL: mailbox.config.smtpUrl ?? '' };
    const operate = (...args: string[]) => runCommand(args, { ...env, ISSUER: server.url });
    world = { server, application, mailbox, upstream, browser, operate };
    ends.push(
      () => browser.close(),
      application.close,
      server.stop,
      mailbox.stop,
      async () => upstream?.stop(),
      storage.close,
      database.drop,
    );
    await registerApplication(world);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  function get(): World {
    if (world === undefined) throw new Error('The world exists only while the tests of its suite run.');
    return world;
  }

  async function openWindow(given: BrowserContextOptions = {}): Promise<Page> {
    // The application's certificate is self-signed, and the language must not depend on this machine.
    const defaults = { ignoreHTTPSErrors: true, locale: 'en-GB' };
    const context = await get().browser.newContext({ ...defaults, ...given });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(STEP_LIMIT_MS);
    return context.newPage();
  }

  return {
    get,
    openWindow,
    async openApplication(options) {
      const account = await get().server.addAccount({ role: 'agent', name: 'Ada Lovelace' });
      const page = await openWindow(options);
      await page.goto(get().application.url);
      return { page, account };
    },
  };
}

async function runCommand(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const problems: string[] = [];
  const code = await runCli(args, {
    env: { ...env, MASTER_SECRET: masterSecret },
    print: () => undefined,
    printError: (text) => problems.push(text),
    readInput: async () => '',
  });
  if (code !== 0) throw new Error(`${args.join(' ')} exits with ${code}: ${problems.join('')}`);
}

/** Registers the application as an operator. */
async function registerApplication({ server, application }: World): Promise<void> {
  const { client, secret } = await server.clients.add({
    type: 'web',
    name: 'Printshop Status',
    homePage: application.url,
    scopes: ['tickets:read'],
    redirectUris: [application.redirectUri],
    postLogoutRedirectUris: [application.postLogoutRedirectUri],
  });
  await application.configure(client.id, secret ?? '');
}

/** Fills in and submits the sign-in form. */
export async function signIn(
  page: Page,
  { email }: Pick<Account, 'email'>,
  chosen = password,
): Promise<void> {
  await page.fill('#email', email);
  await page.fill('#password', chosen);
  await page.click('#submit');
}
