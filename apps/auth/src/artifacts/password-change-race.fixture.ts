import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as oauth from 'openid-client';
import { v7 as uuidv7 } from 'uuid';
import { exampleAccount } from '../accounts/account/account.fixture.ts';
import type { Account } from '../accounts/account/account.ts';
import { createToken, digestOfToken } from '../accounts/account/account-token-store.ts';
import { createPasswordHasher } from '../accounts/passwords/password-hasher.ts';
import { assembleClients } from '../composition/clients.ts';
import { deriveKeys } from '../keys/derived-keys.ts';
import { openStorage, type StorageLocation } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { startBalancedServers } from '../tests/balanced-servers.fixture.ts';
import { type Browser, createBrowser } from '../tests/browser.fixture.ts';
import { createRequest, REDIRECT_URI, redeem, signIn } from '../tests/people.fixture.ts';
import { password } from '../tests/test-server.fixture.ts';

export const newPassword = 'seven quiet harbours';

/** Credentials that a sign-in produced. */
export interface SignInResult {
  browser: Browser;
  /** Redeems the code, unless the sign-in already has. */
  redeemCode?: () => Promise<oauth.TokenEndpointResponse>;
  refreshToken?: string | undefined;
}

/** Two server processes on one database, with an application and accounts. */
export interface RacedServers {
  application: oauth.Configuration;
  /** Adds an account with `password`. */
  addAccount(): Promise<Account>;
  /**
   * Opens the sign-in form of an application. The returned function submits it and continues as far as possible.
   */
  prepareSignIn(account: Account, options: { isCodeKept: boolean }): Promise<() => Promise<SignInResult>>;
  /** Signs in to the account page. The returned function submits the password change. */
  prepareChange(account: Account): Promise<{ browser: Browser; change: () => Promise<void> }>;
  /** Opens a mailed link. The returned function submits the password reset. */
  prepareReset(account: Account): Promise<{ change: () => Promise<void> }>;
  /** Whether a password signs in to the account page. */
  canSignIn(account: Account, typed: string): Promise<boolean>;
  stop(): Promise<void>;
}

const hasher = createPasswordHasher({ concurrency: 1, maxWaiting: 1 });

/** @param location a database shared by both processes and the test */
export async function startRacedServers(location: StorageLocation): Promise<RacedServers> {
  const MASTER_SECRET = randomBytes(32).toString('base64url');
  const MAIL_FOLDER = join(tmpdir(), `keydesk-mail-${uuidv7()}`);
  const storage = await openStorage(location);
  const servers = await startBalancedServers({
    MASTER_SECRET,
    MAIL_FOLDER,
    STORAGE_URL: urlOf(location),
    // One hash at a time, so that concurrent requests have to queue.
    PASSWORD_HASH_CONCURRENCY: '1',
    AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    SIGN_IN_FAILURES_PER_NETWORK: '0',
  });
  const application = await addApplication(storage, { url: servers.url, masterSecret: MASTER_SECRET });
  const passwordHash = await hasher.hash(password);
  return {
    application,
    async addAccount() {
      const account = exampleAccount({ passwordHash, emailVerified: true });
      await storage.accounts.insert(account);
      return account;
    },
    ...createSteps(servers.url, application, storage),
    async stop() {
      await servers.stop();
      await storage.close();
      await rm(MAIL_FOLDER, { recursive: true, force: true });
    },
  };
}

type Step = 'prepareSignIn' | 'prepareChange' | 'prepareReset' | 'canSignIn';

function createSteps(
  url: string,
  application: oauth.Configuration,
  { accountTokens }: Storage,
): Pick<RacedServers, Step> {
  async function openAccountPage({ email }: Account, typed: string) {
    const browser = createBrowser(url);
    const page = await browser.submit(await browser.open('/account'), 'sign-in', { email, password: typed });
    return { browser, isOpen: page.url.pathname === '/account' };
  }

  return {
    async prepareSignIn({ email }, { isCodeKept }) {
      const journey = { application, email, browser: createBrowser(url) };
      const { browser } = journey;
      const request = await createRequest(journey);
      const form = await browser.open(request.url);
      return async () => {
        const consent = await signIn(journey, form);
        if (!consent.html.includes('id="consent"')) return { browser };
        const callback = await browser.submit(consent, 'consent', { decision: 'allow' });
        if (callback.status !== 0) return { browser };
        const redeemCode = () => redeem(journey, request, callback.url);
        if (isCodeKept) return { browser, redeemCode };
        const tokens = await redeemCode().catch(() => undefined);
        return { browser, refreshToken: tokens?.refresh_token };
      };
    },
    async prepareChange(account) {
      const { browser } = await openAccountPage(account, password);
      const form = await browser.open('/account/password');
      const fields = { current_password: password, new_password: newPassword };
      return { browser, change: async () => void (await browser.submit(form, 'change-password', fields)) };
    },
    async prepareReset({ id: accountId, email }) {
      const token = createToken();
      const expiresAt = new Date(Date.now() + 600_000);
      const purpose = 'reset_password';
      await accountTokens.insert({ digest: digestOfToken(token), purpose, accountId, email, expiresAt });
      const browser = createBrowser(url);
      const form = await browser.open(`/reset-password?token=${token}`);
      const fields = { password: newPassword };
      return { change: async () => void (await browser.submit(form, 'reset-password', fields)) };
    },
    canSignIn: async (account, typed) => (await openAccountPage(account, typed)).isOpen,
  };
}

async function addApplication(storage: Storage, server: { url: string; masterSecret: string }) {
  const derived = deriveKeys(server.masterSecret);
  const { client } = await assembleClients({ storage, derived, now: () => new Date() }).add({
    type: 'spa',
    name: 'Printshop Status',
    scopes: ['tickets:read'],
    redirectUris: [REDIRECT_URI],
  });
  const execute = [oauth.allowInsecureRequests];
  return oauth.discovery(new URL(server.url), client.id, undefined, oauth.None(), { execute });
}

function urlOf({ url, database }: StorageLocation): string {
  if (database === undefined) return url;
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}
