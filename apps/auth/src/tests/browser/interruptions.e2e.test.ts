import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@keydesk/testing';
import { chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { password } from '../test-server.fixture.ts';
import { chromiumArguments, STEP_LIMIT_MS, signIn, useWorld } from './world.fixture.ts';

const TWO_HOURS_MS = 7_200_000;

describeWith('chromium', 'interrupted and repeated steps in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  /** Expects an error page of ours, without a server error and without a resubmitted form. */
  async function expectFriendlyPage(page: Page, error: string): Promise<void> {
    await page.locator(`h1#error-${error}`).waitFor();
    expect(page.url()).not.toContain('chrome-error:');
    const statuses = world
      .get()
      .server.lines()
      .map(({ status }) => Number(status));
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  }

  it('the back button after sign-in shows that the page has expired', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await signIn(page, account);
    await page.locator('#consent').waitFor();
    await page.goBack();
    await expectFriendlyPage(page, 'interaction-expired');
    await page.goForward();
    await page.click('#allow');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
  });

  it('the back button after consent shows that the page has expired, with a link to the application', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await signIn(page, account);
    await page.click('#allow');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    await page.goBack();
    await expectFriendlyPage(page, 'interaction-expired');
    await page.click('#application');
    await page.click('#sign-in');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
  });

  it('the back button after a wrong password shows a working form', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await signIn(page, account, 'not this one');
    await page.locator('#problems').waitFor();
    await page.goBack();
    await signIn(page, account);
    await page.locator('#consent').waitFor();
  });

  it('a form that was already sent in another window shows that the page has expired', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await page.locator('form#sign-in').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await signIn(page, account);
    await page.locator('#consent').waitFor();
    await signIn(other, account);
    await expectFriendlyPage(other, 'interaction-expired');
  });

  it('a double click signs in and consents once', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await page.fill('#email', account.email);
    await page.fill('#password', password);
    await page.dblclick('#submit');
    await page.locator('#consent').waitFor();
    await page.dblclick('#allow');
    await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
  });

  it('the back button after signing out shows nothing of the account', async () => {
    const { server } = world.get();
    const page = await world.openWindow();
    await page.goto(`${server.url}/account`);
    await signIn(page, await server.addAccount());
    await page.click('#sign-out');
    await page.click('#confirm');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator('#password').waitFor();
  });

  it('two tabs can sign in at the same time', async () => {
    const { page, account } = await world.openApplication();
    const other = await page.context().newPage();
    await other.goto(world.get().application.url);
    await page.click('#sign-in');
    await other.click('#sign-in');
    await other.locator('form#sign-in').waitFor();
    await signIn(page, account);
    await page.locator('#consent').waitFor();
    await other.reload();
    await other.click('#allow');
    await other.getByRole('heading', { name: 'Hello' }).waitFor();
    await page.click('#allow');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
  });

  it('a second tab with an open form can sign in, too', async () => {
    const { page, account } = await world.openApplication();
    const other = await page.context().newPage();
    await other.goto(world.get().application.url);
    await page.click('#sign-in');
    await other.click('#sign-in');
    await other.locator('form#sign-in').waitFor();
    await signIn(page, account);
    await page.click('#allow');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    await signIn(other, account);
    await other.getByRole('heading', { name: 'Hello' }).waitFor();
  });

  it('a page that was open for two hours has expired', async () => {
    const { time } = world.get().server;
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await page.locator('#password').waitFor();
    onTestFinished(() => {
      time.ahead = 0;
    });
    time.ahead = TWO_HOURS_MS;
    await signIn(page, account);
    await expectFriendlyPage(page, 'interaction-expired');
    await page.click('#application');
    await page.waitForURL(world.get().application.url);
  });

  it('an unregistered redirect URI is never used (RFC 9700 §4.1.3)', async () => {
    const page = await world.openWindow();
    const url = await world.get().application.buildSignInUrl();
    url.searchParams.set('redirect_uri', 'https://app.example/elsewhere');
    await page.goto(url.href);
    await expectFriendlyPage(page, 'redirect-uri-mismatch');
    await page.click('#details summary');
    await page.getByText('invalid_redirect_uri').waitFor();
  });

  it('an unknown application is reported on an error page', async () => {
    const page = await world.openWindow();
    const url = await world.get().application.buildSignInUrl();
    url.searchParams.set('client_id', 'nobody');
    await page.goto(url.href);
    await expectFriendlyPage(page, 'unknown-client');
  });

  it('an unknown path shows an error page with a link to the account', async () => {
    const page = await world.openWindow();
    await page.goto(`${world.get().server.url}/nothing/here`);
    await expectFriendlyPage(page, 'not-found');
    await page.click('#account');
    await page.locator('#password').waitFor();
  });

  it.each(['/interaction', '/account'])(
    'a browser that blocks cookies gets an explanation at %s',
    async (path) => {
      const { application, server } = world.get();
      const page = await openWithoutCookies(executablePath);
      await page.goto(path === '/account' ? `${server.url}${path}` : application.url);
      if (path === '/interaction') await page.click('#sign-in');
      else await signIn(page, await server.addAccount());
      await expectFriendlyPage(page, 'cookies-blocked');
    },
  );
});

/** Opens a page in a Chromium that blocks all cookies, which needs its own browser profile. */
async function openWithoutCookies(executablePath: string): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
  await mkdir(join(folder, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: chromiumArguments,
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  onTestFinished(async () => {
    await context.close();
    // Processes of Chromium that are still exiting may write to the folder.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return context.newPage();
}
