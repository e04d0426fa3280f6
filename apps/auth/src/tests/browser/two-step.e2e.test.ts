import { describeWith, findAxeViolations } from '@keydesk/testing';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import type { Account } from '../../accounts/account/account.ts';
import { type AuthenticatorApp, createApp } from '../authenticator-app.fixture.ts';
import { password } from '../test-server.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

const TWO_STEP = '/account/two-step';
const FOCUSED = 'document.activeElement.id';

const SCREENS = [
  ['in English at desktop width', { locale: 'en-GB', viewport: { width: 1280, height: 800 } }],
  ['in German at phone width', { locale: 'de-DE', viewport: { width: 360, height: 740 } }],
  ['in English at phone width', { locale: 'en-GB', viewport: { width: 360, height: 740 } }],
  ['in German at desktop width', { locale: 'de-DE', viewport: { width: 1280, height: 800 } }],
] as const;

interface Owner {
  page: Page;
  account: Account;
  app: AuthenticatorApp;
  /** Code that was entered when the app was set up. */
  usedCode: string;
  recoveryCodes: readonly string[];
}

describeWith('chromium', 'an authenticator app in Chromium', (executablePath) => {
  const world = useWorld(executablePath);
  afterEach(() => {
    world.get().server.time.ahead = 0;
  });

  const open = (page: Page, path: string) => page.goto(world.get().server.url + path);

  /** Sets up an app for a new account with the secret of the QR code, in a page that is not signed in. */
  async function setUp(page: Page): Promise<Owner> {
    const { server } = world.get();
    const account = await server.addAccount({ name: 'Ada Lovelace' });
    await open(page, `${TWO_STEP}/app`);
    await signIn(page, account);
    const uri = new URL((await page.locator('#open-app').getAttribute('href')) ?? '');
    const secret = uri.searchParams.get('secret') ?? '';
    expect(await page.inputValue('#secret')).toBe(secret);
    const app = createApp(secret, server);
    const usedCode = app.currentCode();
    await page.fill('#code', usedCode);
    await page.click('#submit');
    const recoveryCodes = (await page.innerText('#codes')).trim().split('\n');
    expect(recoveryCodes).toHaveLength(10);
    return { page, account, app, usedCode, recoveryCodes };
  }

  async function signOut(page: Page): Promise<void> {
    await open(page, '/session/end');
    await page.click('#confirm');
    await page.locator('.hero').waitFor();
  }

  /** Signs out and in again, up to the page that asks for the code. */
  async function askForCode({ page, account }: Owner): Promise<void> {
    await signOut(page);
    await open(page, '/account');
    await signIn(page, account);
    await page.locator('form#second-factor').waitFor();
  }

  async function submitCode(page: Page, code: string): Promise<void> {
    await page.fill('#code', code);
    await page.click('#second-factor [type=submit]');
  }

  const reachAccount = (page: Page) => page.waitForURL('**/account');

  describe.each(SCREENS)('%s', (_, screen) => {
    it('is set up, asked for, and removed, without axe violations', async () => {
      const page = await world.openWindow({ ...screen, reducedMotion: 'reduce' });
      const findings: string[] = [];
      const check = async (name: string) => {
        await page.waitForLoadState();
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > screen.viewport.width) findings.push(`${name} is ${width} px wide`);
        findings.push(...(await findAxeViolations(page)).map((violation) => `${name}: ${violation}`));
      };
      const owner = await setUp(page);
      await check('recovery codes');
      await page.click('#continue');
      await page.locator('#new-codes').waitFor();
      await check('two-step verification');
      await askForCode(owner);
      await check('code');
      await submitCode(page, owner.app.wrongCode());
      await page.locator('#code-problem').waitFor();
      await check('wrong code');
      await submitCode(page, owner.app.nextCode());
      await reachAccount(page);
      await open(page, TWO_STEP);
      await page.click('#remove button');
      await page.locator('#notice').waitFor();
      await check('two-step verification off');
      expect(await page.locator('#remove').count()).toBe(0);
      await signOut(page);
      await open(page, '/account');
      await signIn(page, owner.account);
      await reachAccount(page);
      expect(findings).toEqual([]);
    });
  });

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('%s', (_, javaScriptEnabled) => {
    const openWindow = () => world.openWindow({ javaScriptEnabled });

    it('rejects a used code, and accepts a recovery code once', async () => {
      const page = await openWindow();
      const owner = await setUp(page);
      await askForCode(owner);
      await submitCode(page, owner.usedCode);
      await page.locator('#code-problem').waitFor();
      const recover = async (code: string) => {
        (await page.locator('#recovery_code').isVisible()) || (await page.click('#no-app summary'));
        await page.fill('#recovery_code', code);
        await page.click('#recovery [type=submit]');
      };
      await recover(owner.recoveryCodes[0] ?? '');
      await reachAccount(page);
      await askForCode(owner);
      await recover(owner.recoveryCodes[0] ?? '');
      await page.locator('#recovery_code-problem').waitFor();
      await recover(owner.recoveryCodes[1] ?? '');
      await reachAccount(page);
    });

    it('does not ask on a trusted device until its trust is ended on the sessions page', async () => {
      const page = await openWindow();
      const owner = await setUp(page);
      await askForCode(owner);
      await page.check('#trust_device');
      await submitCode(page, owner.app.nextCode());
      await reachAccount(page);
      await signOut(page);
      await open(page, '/account');
      await signIn(page, owner.account);
      await reachAccount(page);
      await open(page, '/account/sessions');
      await page.click('[id^=end-trust] button');
      await page.waitForURL('**/sign-in*');
      await askForCode(owner);
    });
  });

  it('is usable by keyboard alone (WCAG 2.2, 2.1.1)', async () => {
    const page = await world.openWindow();
    const owner = await setUp(page);
    await signOut(page);
    await open(page, '/account');
    const { keyboard } = page;
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('email');
    await keyboard.type(owner.account.email);
    await keyboard.press('Tab');
    await keyboard.type(password);
    await keyboard.press('Enter');
    await page.locator('form#second-factor').waitFor();
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('code');
    await keyboard.type(owner.app.wrongCode());
    await keyboard.press('Enter');
    await page.locator('#code-problem').waitFor();
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('code');
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(owner.app.nextCode());
    await keyboard.press('Tab');
    expect(await page.evaluate(FOCUSED)).toBe('trust_device');
    await keyboard.press('Space');
    expect(await page.isChecked('#trust_device')).toBe(true);
    await keyboard.press('Tab');
    expect(await page.evaluate(FOCUSED)).toBe('submit');
    await keyboard.press('Enter');
    await reachAccount(page);
  });
});
