import { useStarted } from '@keydesk/testing';
import { beforeEach } from 'vitest';
import type { Account } from '../../accounts/account/account.ts';
import { type Engine, type UsedStorage, useStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { basic, password, startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';

export const LIST = '/account/developer/applications';
export const REDIRECT_URI = 'https://app.example/callback';
export const web = { type: 'web', name: 'Printshop Status', redirect_uris: REDIRECT_URI };

/** An application as shown on the page after its registration. */
export interface RegisteredApplication {
  id: string;
  /** Empty if the application has no secret. */
  secret: string;
  path: string;
  page: Page;
}

/** A server on which users may register two applications each, and a signed-in developer. */
export interface PortalWorld {
  server: TestServer;
  storage: UsedStorage;
  /** New in each test. */
  developer: Account;
  /** Browser of the developer. */
  browser: Browser;
  /** Sends a client credentials request. */
  requestToken(id: string, secret: string): Promise<Response>;
  /** Returns the types of a client's audit records, newest first. */
  recordedTypes(clientId: string): Promise<string[]>;
}

/** Runs the server for the current suite. */
export function usePortal(engine: Engine): () => PortalWorld {
  const storage = useStorage(engine);
  const config = { maxApplicationsPerAccount: 2 };
  const server = useStarted(() => startTestServer(storage.get(), { config }));
  let world: PortalWorld;
  beforeEach(async () => {
    const developer = await server.addAccount({ name: 'Grace Hopper' });
    world = {
      server,
      storage,
      developer,
      browser: await signIn(server, developer),
      requestToken: (id, secret) =>
        server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret)),
      recordedTypes: async (clientId) =>
        (await storage.get().audit.list({ clientId, limit: 100 })).map(({ type }) => type),
    };
  });
  return () => world;
}

/** Returns the CSRF token of the forms of a page. */
export function csrfIn({ html }: Page): string {
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
}

/** Returns the value of a read-only field. */
export function fieldOf({ html }: Page, id: string): string {
  return new RegExp(`id="${id}" value="([^"]*)"`).exec(html)?.[1] ?? '';
}

/** Signs a user in on the page of their applications; returns the browser. */
export async function signIn(server: TestServer, { email }: Account): Promise<Browser> {
  const browser = createBrowser(server.url);
  await browser.submit(await browser.open(LIST), 'sign-in', { email, password });
  return browser;
}

/** Posts the form that registers an application. */
export async function postForm(
  browser: Browser,
  fields: Readonly<Record<string, string>>,
  scope = 'openid',
): Promise<Page> {
  return browser.submit(await browser.open(`${LIST}/new`), 'application', { ...fields, scopes: scope });
}

/** Registers an application. @throws {Error} if the registration is rejected */
export async function register(
  browser: Browser,
  fields: Readonly<Record<string, string>> = web,
  scope?: string,
): Promise<RegisteredApplication> {
  const page = await postForm(browser, fields, scope);
  if (page.status !== 200) throw new Error(`Registration failed with ${page.status}: ${page.html}`);
  const id = fieldOf(page, 'client_id') || page.url.pathname.split('/').at(-1) || '';
  return { id, secret: fieldOf(page, 'client_secret'), path: `${LIST}/${id}`, page };
}
