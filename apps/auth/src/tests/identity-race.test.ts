import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, useStarted } from '@keydesk/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../accounts/account/account.ts';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../storage/test-database.fixture.ts';
import { startHostileProvider } from '../web/upstream/hostile-provider.fixture.ts';
import { isSignedIn, newUser, noticeOf, trusted } from '../web/upstream/upstream-server.fixture.ts';
import { type Browser, createBrowser, type Page } from './browser.fixture.ts';
import { startRacedProcesses } from './raced-processes.fixture.ts';
import { password } from './test-server.fixture.ts';

const RACERS = 8;

/** Starts two processes that have the provider in their settings. */
async function startWithProvider(database: TestDatabase) {
  const upstream = await startHostileProvider();
  const { issuer, clientId, authentication } = upstream.toProvider();
  const client = { client_id: clientId, client_secret_env: 'PROVIDER_SECRET' };
  const provider = { id: 'acme', name: 'Acme Directory', issuer, ...client, trusted_domains: [trusted] };
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-identity-race-'));
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify({ providers: [provider] }));
  const processes = await startRacedProcesses(database, {
    IDENTITY_PROVIDERS_FILE: file,
    PROVIDER_SECRET: 'secret' in authentication ? authentication.secret : '',
  });
  return {
    ...processes,
    upstream,
    async stop() {
      await processes.stop();
      await upstream.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function raceSuites(createDatabase: () => Promise<TestDatabase>): void {
  const used = useStarted(async () => startWithProvider(await createDatabase()));
  beforeEach(() => {
    used.upstream.user = newUser(`${randomUUID()}@${trusted}`);
  });

  /** Opens a page that leads to the provider; returns the URL of its authorization response. */
  async function visitProvider(browser: Browser, path: string): Promise<URL> {
    return used.upstream.authorize((await browser.open(path)).url);
  }

  interface Linking {
    account: Account;
    browser: Browser;
    /** Page that asks whether to link the identity. */
    page: Page;
  }

  /** Signs the account in and comes back from the provider to link the identity. */
  async function beginLink(account: Account): Promise<Linking> {
    const browser = createBrowser(used.url);
    const { email } = account;
    await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
    const callback = await visitProvider(browser, '/account/identities/link/acme');
    return { account, browser, page: await browser.open(callback) };
  }

  async function findOwner(): Promise<string | undefined> {
    const { issuer, user } = used.upstream;
    return (await used.identities.findByIdentity(issuer, user.sub))?.accountId;
  }

  it(`one of ${RACERS} accounts that link it concurrently (OpenID Connect Core §5.7)`, async () => {
    const links: Linking[] = [];
    for (let i = 0; i < RACERS; i += 1) links.push(await beginLink(await used.addAccount()));
    const submitted = links.map(({ browser, page }) => browser.submit(page, 'link-identity'));
    const notices = (await Promise.all(submitted)).map(noticeOf);
    const winners = links.filter((_, i) => notices[i]?.includes('You can now sign in with'));
    expect(winners).toHaveLength(1);
    expect(notices.filter((each) => each?.includes('linked to another account'))).toHaveLength(RACERS - 1);
    expect(await findOwner()).toBe(winners[0]?.account.id);
    const listed = await Promise.all(links.map(({ account }) => used.identities.find(account.id)));
    expect(listed.flatMap((each) => each?.identities ?? [])).toHaveLength(1);
  });

  it(`one new account, when ${RACERS} browsers sign in with it concurrently`, async () => {
    const browsers = Array.from({ length: RACERS }, () => createBrowser(used.url));
    const callbacks = await Promise.all(browsers.map((each) => visitProvider(each, '/sign-in/with/acme')));
    const pages = await Promise.all(browsers.map((browser, i) => browser.open(callbacks[i] ?? '')));
    const owner = await findOwner();
    expect((await used.accounts.findByEmail(used.upstream.user.email ?? ''))?.id).toBe(owner);
    expect(pages.some(isSignedIn)).toBe(true);
    // A browser that finds the account but not yet its identity has to try again.
    for (const page of pages.filter((each) => !isSignedIn(each)))
      expect(noticeOf(page), page.html).toContain('already have an account');
  });

  it('one of an account that links it and a browser that signs in with it concurrently', async () => {
    const { account, browser, page } = await beginLink(await used.addAccount());
    const other = createBrowser(used.url);
    const callback = await visitProvider(other, '/sign-in/with/acme');
    const [linked] = await Promise.all([browser.submit(page, 'link-identity'), other.open(callback)]);
    const isLinked = noticeOf(linked)?.includes('You can now sign in with');
    const owner = await findOwner();
    expect(owner === account.id).toBe(isLinked);
    const own = await used.accounts.findByEmail(used.upstream.user.email ?? '');
    expect(own?.id).toBe(isLinked ? undefined : owner);
  });
}

const guarantee = 'an identity belongs, at two processes, to';

describe(`${guarantee}, on SQLite`, () => raceSuites(createSqliteDatabase));
describeWith('mongodb', `${guarantee}, on MongoDB`, (url) => raceSuites(() => createMongoDatabase(url)));
