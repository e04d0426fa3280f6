import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWith } from '@keydesk/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { applicationsPath, registrationPath } from '../../web/developer/portal/paths.ts';
import { paths } from '../../web/kit/account-paths.ts';
import { password } from '../test-server.fixture.ts';
import { tourPages } from './tour.fixture.ts';
import { chromiumArguments, STEP_LIMIT_MS, signIn, useWorld } from './world.fixture.ts';

/** Starts a site on another host than the server. */
async function startForeignSite(html: string): Promise<{ url: string; referrers: string[] }> {
  const referrers: string[] = [];
  const site: Server = createServer((request, response) => {
    if (request.url === '/') referrers.push(request.headers.referer ?? '');
    response.setHeader('Content-Type', 'text/html').end(html);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  onTestFinished(() => {
    site.close();
    site.closeAllConnections();
  });
  return { url: `http://localhost:${(site.address() as AddressInfo).port}/`, referrers };
}

/** Opens a page with the back/forward cache, which users' browsers have and Playwright disables. */
async function openWithBackForwardCache(executablePath: string): Promise<Page> {
  const browser: Browser = await chromium.launch({
    executablePath,
    args: chromiumArguments,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  await context.addInitScript(
    'addEventListener("pageshow", (event) => { window.isFromCache = event.persisted; });',
  );
  return context.newPage();
}

describeWith('chromium', 'every page in Chromium', (executablePath) => {
  // Passkeys need a host name.
  const world = useWorld(executablePath, { host: 'localhost', hasProvider: true });

  it('reports no CSP violation and no console message (CSP Level 3 §5)', async () => {
    const page = await world.openWindow();
    const messages: string[] = [];
    await page.exposeFunction('reportViolation', (text: string) => messages.push(text));
    await page.addInitScript(
      'addEventListener("securitypolicyviolation", (event) => reportViolation(event.violatedDirective + " " + event.blockedURI));',
    );
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', ({ message }) => messages.push(message));
    await tourPages({ page, ...world.get() }, async (name) => {
      // Chromium logs the status of an error page.
      const unexpected = messages.splice(0).filter((text) => !/responded with a status of 40[04]/.test(text));
      expect(unexpected, name).toEqual([]);
    });
  });
});

describeWith('chromium', 'the browser security of pages in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  it.each(['in the same tab', 'in another tab'])(
    'restores no account page from the cache after sign-out %s (OWASP ASVS 5.0 §14.3.1)',
    async (where) => {
      const { server } = world.get();
      const page = await openWithBackForwardCache(executablePath);
      const account = await server.addAccount({ name: 'Grace Hopper' });
      await page.goto(server.url + paths.account);
      await signIn(page, account);
      await page.locator('#sign-out').waitFor();
      for (const path of [paths.connectedApplications, paths.changeEmail, paths.account])
        await page.goto(server.url + path);
      const last = where === 'in another tab' ? await page.context().newPage() : page;
      await last.goto(server.url + paths.account);
      await last.click('#sign-out');
      await last.click('#confirm');
      await last.getByRole('heading', { name: 'You are signed out' }).waitFor();
      for (let steps = 0; steps < 4; steps++) {
        // A page from the cache returns without a load.
        await page.goBack({ waitUntil: 'commit' });
        await page.locator('h1').waitFor();
        expect(await page.content()).not.toContain(account.email);
        expect(await page.evaluate('window.isFromCache')).not.toBe(true);
      }
    },
  );

  it('rejects a form of one user after another user has signed in (OWASP ASVS 5.0 §3.5.1)', async () => {
    const { server } = world.get();
    const [one, other] = [await server.addAccount(), await server.addAccount()];
    const change = await world.openWindow();
    await change.goto(server.url + paths.changePassword);
    await signIn(change, one);
    await change.fill('#current_password', password);
    await change.fill('#new_password', 'something else entirely');
    const register = await change.context().newPage();
    await register.goto(server.url + registrationPath);
    await register.check('#type-web');
    await register.fill('#name', 'Printshop');
    await register.fill('#redirect_uris', 'https://printshop.example/callback');
    const tab = await change.context().newPage();
    await tab.goto(server.url + paths.account);
    await tab.click('#sign-out');
    await tab.click('#confirm');
    await tab.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await tab.goto(server.url + paths.account);
    await signIn(tab, other);
    await tab.getByRole('heading', { name: 'My account' }).waitFor();
    for (const page of [change, register]) {
      await page.click('#submit');
      await page.getByRole('heading', { name: 'Please send it again' }).waitFor();
    }
    await tab.goto(server.url + applicationsPath);
    await tab.getByText('Nothing registered yet').waitFor();
    for (const { email } of [one, other]) {
      const page = await world.openWindow();
      await page.goto(server.url + paths.account);
      await signIn(page, { email });
      await page.getByRole('heading', { name: 'My account' }).waitFor();
    }
  });

  it('shows no page in a frame of another site (RFC 9700 §4.16)', async () => {
    const { server } = world.get();
    const framed = [paths.signIn, '/device', '/nothing/here', '/session/end'];
    const frames = framed.map((path) => `<iframe src="${server.url}${path}"></iframe>`).join('');
    const { url } = await startForeignSite(frames);
    const page = await world.openWindow();
    await page.goto(url);
    const shown = page.frames().slice(1);
    expect(shown).toHaveLength(framed.length);
    // Chromium replaces each frame with an error page, possibly after the page has loaded.
    for (const frame of shown) await frame.waitForURL('chrome-error://chromewebdata/');
  });

  it('sends no other site the URL of a page, which may contain a secret (RFC 9700 §4.2.4)', async () => {
    const { server, application, mailbox } = world.get();
    const { email } = await server.addAccount();
    const { url, referrers } = await startForeignSite('<h1>Elsewhere</h1>');
    const page = await world.openWindow();
    await page.goto(server.url + paths.forgotPassword);
    await page.fill('#email', email);
    await page.click('#submit');
    const reset = await mailbox.linkTo(email, paths.resetPassword);
    const device = `${server.url}/device?user_code=BCDF-GHJK`;
    const wrong = await application.buildSignInUrl();
    wrong.searchParams.set('redirect_uri', 'https://app.example/elsewhere');
    for (const address of [reset, device, wrong.href]) {
      await page.goto(address);
      const link = `const link = document.createElement('a'); link.href = '${url}'; document.body.append(link); link.click();`;
      await page.evaluate(link);
      await page.getByRole('heading', { name: 'Elsewhere' }).waitFor();
    }
    expect(referrers).toEqual(['', '', '']);
  });
});
