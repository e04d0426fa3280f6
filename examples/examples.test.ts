import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describeWith } from '@keydesk/testing';
import { chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acrValues } from '../apps/auth/src/accounts/account/authentication.ts';
import { createApp } from '../apps/auth/src/tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser } from '../apps/auth/src/tests/browser.fixture.ts';
import { startKeydesk } from '../tools/start/start.fixture.ts';

const LIMIT_MS = 60_000;
const isRoot = process.getuid?.() === 0;

/** Starts Keydesk with `npm start`; returns a function that runs an example against it. */
async function startWorld(settings: Record<string, string> = {}) {
  const keydesk = await startKeydesk(settings);
  const password = /agent@example\.com\s+(\S+)/.exec(keydesk.output())?.[1] ?? '';
  const issuer = `http://127.0.0.1:${keydesk.authPort}`;

  /** Starts an example and collects its output. */
  function run(script: string, env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
      env: { DATA_DIR: keydesk.folder, TOKEN_FILE: join(keydesk.folder, 'token'), ...env },
      stdio: 'pipe',
    });
    onTestFinished(() => void child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const print = (pattern: RegExp) =>
      expect
        .poll(() => output, { timeout: LIMIT_MS })
        .toMatch(pattern)
        .then(() => String(pattern.exec(output)?.[1]));
    return { prints: print, ended: once(child, 'close').then(([code]) => ({ code, output })) };
  }

  return { issuer, password, run };
}

/** Signs the demo agent in and allows the request. */
async function signInAndAllow(browser: Browser, url: string, password: string) {
  const signIn = await browser.open(url);
  const consent = await browser.submit(signIn, 'sign-in', { email: 'agent@example.com', password });
  return browser.submit(consent, 'consent', { decision: 'allow' });
}

describe('the examples with npm start', () => {
  it('a machine opens a ticket and lists the new ones', async () => {
    const { run } = await startWorld();
    const { code, output } = await run('machine-client/main.ts').ended;
    expect(output).toMatch(
      /^Opened ticket [\da-f-]{36}: The backup did not run\n.*The backup did not run\n$/,
    );
    expect(code).toBe(0);
  });

  it('a native app signs in through the browser, and later with its refresh token', async () => {
    const { issuer, password, run } = await startWorld();
    const app = run('native-app/main.ts');
    const back = await signInAndAllow(createBrowser(issuer), await app.prints(/^(http\S+)/m), password);
    expect(await (await fetch(back.url)).text()).toContain('You may close this page');
    expect(await app.ended).toMatchObject({ code: 0, output: expect.stringContaining('0 tickets') });

    for (let again = 0; again < 2; again++) {
      const { code, output } = await run('native-app/main.ts').ended;
      expect(output).toBe('Still signed in.\n0 tickets\n');
      expect(code).toBe(0);
    }
  });

  it('a device gets its token when the user enters its code and allows the request', async () => {
    const { issuer, password, run } = await startWorld();
    const device = run('device/main.ts');
    const code = await device.prints(/and type (\S+)/);
    const browser = createBrowser(issuer);
    const typed = await browser.submit(await browser.open('/device'), 'device-code', { user_code: code });
    const signIn = await browser.submit(typed, 'device-confirm', { confirm: 'yes' });
    const consent = await browser.submit(signIn, 'sign-in', { email: 'agent@example.com', password });
    await browser.submit(consent, 'consent', { decision: 'allow' });
    expect(await device.ended).toMatchObject({ code: 0, output: expect.stringContaining('0 tickets') });
  });
});

describeWith('chromium', 'the single-page app with npm start', (executablePath) => {
  /** Starts the app and opens it in Chromium. */
  async function openApp(settings?: Record<string, string>) {
    const { run, password } = await startWorld(settings);
    await run('machine-client/main.ts').ended;
    const url = await run('single-page-app/serve.ts').prints(/(http\S+)/);
    const browser = await chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    await page.goto(url);
    return {
      url,
      page,
      async enterPassword() {
        await page.fill('#email', 'agent@example.com');
        await page.fill('#password', password);
        await page.click('#submit');
      },
    };
  }

  /** Signs in until the tickets are shown. */
  async function signIn({ page, enterPassword }: Awaited<ReturnType<typeof openApp>>) {
    await page.click('#sign-in');
    await enterPassword();
    await page.click('#allow');
    await page.locator('#items li', { hasText: 'The backup did not run' }).waitFor();
  }

  it('signs in and shows tickets', async () => {
    const app = await openApp();
    await signIn(app);
    expect(app.page.url()).toBe(app.url);
    await app.page.click('#export');
    await app.page.locator('#items li', { hasText: 'ticket.created' }).waitFor();
  });

  it('sets a second factor up when the API asks for one, then repeats the request (RFC 9470 §4)', async () => {
    const app = await openApp({ STEP_UP_ACR_VALUES: `${acrValues[1]} phr`, STEP_UP_MAX_AGE_SECONDS: '3600' });
    await signIn(app);
    await app.page.click('#export');
    await app.enterPassword();
    const secret = await app.page.inputValue('#secret');
    await app.page.fill('#code', createApp(secret, { time: { ahead: 0 } }).currentCode());
    await app.page.click('#set-up-totp #submit');
    await app.page.click('#continue #submit');
    await app.page.locator('#items li', { hasText: 'ticket.created' }).waitFor();
    expect(app.page.url()).toBe(app.url);
    await app.page.click('#export');
    await app.page.locator('#status', { hasText: 'events' }).waitFor();
  });

  it('asks once for a stronger sign-in, and reports an account that cannot reach it (RFC 9470 §3)', async () => {
    const app = await openApp({ STEP_UP_ACR_VALUES: 'phr' });
    await signIn(app);
    await app.page.click('#export');
    await app.enterPassword();
    await app.page.locator('#status', { hasText: 'Your sign-in was not strong enough.' }).waitFor();
    expect(app.page.url()).toBe(app.url);
  });
});
