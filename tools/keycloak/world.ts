import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort, findService } from '@keydesk/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Deployment, startDeployment } from '../conformance/deployment.ts';
import { type Application, createApplication } from './application.ts';
import { writeProviders } from './providers.ts';
import { codeOf, createRealm, createUser, type Realm, type RealmUser } from './realms.ts';
import { createKeycloak, type Keycloak } from './server.ts';

/** Generous limit of a step on a busy machine; only a failing check reaches it. */
const STEP_LIMIT_MS = 120_000;

export type RealmName = 'staff' | 'field' | 'guests';

/** Keycloak, Keydesk with its realms as providers, an application of Keydesk, and a browser. */
export interface World {
  keycloak: Keycloak;
  keydesk: Deployment;
  application: Application;
  browser: Browser;
  realms: Readonly<Record<RealmName, Realm>>;
  /** Opens a page with a new browser profile. */
  openPage(): Promise<Page>;
}

function createRealms(): World['realms'] {
  return {
    staff: {
      name: 'staff',
      acr: 'gold',
      logOut: 'user token',
      users: [
        createUser('ada@staff.example', { roles: ['helpdesk-agent'], hasApp: true }),
        createUser('bob@staff.example', { isVerified: false, hasApp: true }),
      ],
    },
    field: {
      name: 'field',
      acr: 'silver',
      logOut: 'session token',
      users: [createUser('cleo@field.example'), createUser('max@field.example')],
    },
    guests: {
      name: 'guests',
      acr: 'gold',
      logOut: 'frame',
      users: [
        createUser('dan@guests.example', { hasApp: true }),
        createUser('suite@example.com', { hasApp: true }),
      ],
    },
  };
}

/** Starts everything; `started` stops it. */
export async function startWorld(
  home: string,
  { folder, started }: { folder: string; started: AsyncDisposableStack },
): Promise<World> {
  const realms = createRealms();
  const port = await findFreePort();
  const issuerOf = (realm: string) => `https://127.0.0.1:${port}/realms/${realm}`;
  const providers = writeProviders(join(folder, 'providers.json'), Object.values(realms), issuerOf);
  const secondFactor = { SECOND_FACTOR_REQUIRED_FOR: 'agent', SECOND_FACTOR_GRACE_DAYS: '0' };
  const keydesk = await startDeployment({ ...providers, ...secondFactor });
  started.defer(() => keydesk.stop());
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(keydesk.certificateFile, 'utf8')]);
  const logFile = join(folder, 'keycloak.log');
  const { certificateFile, keyFile } = keydesk;
  const keycloak = createKeycloak({ home, port, certificateFile, keyFile, logFile });
  started.defer(() => keycloak.stop());
  await keycloak.start();
  for (const realm of Object.values(realms)) await createRealm(keycloak, realm, keydesk.issuer);
  const browser = await chromium.launch({
    executablePath: findService('chromium') ?? '',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  started.defer(() => browser.close());
  const application = await createApplication(keydesk);
  return { keycloak, keydesk, application, browser, realms, openPage: () => openPage(browser) };
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  return context.newPage();
}

/** Returns the user of a realm. */
export function userOf({ users }: Realm, name: string): RealmUser {
  const found = users.find(({ username }) => username.startsWith(name));
  if (!found) throw new Error(`No user ${name}.`);
  return found;
}

/** Fills in the pages of Keycloak. */
export async function signInThere(page: Page, { acr }: Realm, user: RealmUser): Promise<void> {
  await page.fill('#username', user.username);
  await page.fill('#password', user.password);
  await page.click('#kc-login');
  if (acr !== 'gold') return;
  await page.fill('#otp', codeOf(user));
  await page.click('#kc-login');
}

/** Signs a user of a realm in with the button on Keydesk's page; resolves at the next page of Keydesk. */
export async function signInBy(world: World, page: Page, realm: RealmName, name: string): Promise<void> {
  const { keydesk, realms } = world;
  await page.goto(`${keydesk.issuer}/sign-in`);
  await page.click(`#provider-${realm}`);
  await signInThere(page, realms[realm], userOf(realms[realm], name));
  await page.waitForURL((url) => url.origin === keydesk.issuer);
}

/** Signs the account of Keydesk in with its password. */
export async function signInHere({ keydesk }: World, page: Page): Promise<void> {
  await page.goto(`${keydesk.issuer}/sign-in`);
  await page.fill('#email', keydesk.account.email);
  await page.fill('#password', keydesk.account.password);
  await page.click('#submit');
  await page.waitForURL((url) => url.pathname === '/account');
}

export const pathOf = (page: Page) => new URL(page.url()).pathname;

/** Whether the browser has a session at Keydesk. */
export async function isSignedIn({ keydesk }: Pick<World, 'keydesk'>, page: Page): Promise<boolean> {
  await page.goto(`${keydesk.issuer}/account`);
  return pathOf(page) === '/account';
}
