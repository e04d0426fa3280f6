import { describeWith } from '@keydesk/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { paths } from '../account-pages/paths.ts';
import { signIn, useWorld } from './world.fixture.ts';

/** Opens an address in a popup, as a script of the page does. */
async function openPopup(page: Page, address: string): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.evaluate(`window.popup = window.open(${JSON.stringify(address)}, 'popup', 'width=500')`);
  return opened;
}

describeWith('chromium', 'popups in Chromium', (executablePath) => {
  const world = useWorld(executablePath);
  const isConnected = async (page: Page, popup: Page) => [
    await page.evaluate('!window.popup.closed'),
    await popup.evaluate('window.opener !== null'),
  ];

  describe('a popup that a single-page application signs in by', () => {
    it('can still report to the window that opened it, by whatever pages the person came', async () => {
      const { page, account } = await world.openApplication();
      const popup = await openPopup(page, '/sign-in');
      await popup.locator('form#sign-in').waitFor();
      expect(await isConnected(page, popup)).toEqual([true, true]);
      await popup.click('#create-account');
      await popup.locator('form#sign-up').waitFor();
      await popup.click('#to-sign-in');
      await signIn(popup, account);
      await popup.click('#allow');
      await popup.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
      expect(await isConnected(page, popup)).toEqual([true, true]);
    });
  });

  describe('a page of the account (HTML Living Standard, cross-origin opener policies)', () => {
    it('is out of reach of the site that opened it', async () => {
      const { page, account } = await world.openApplication();
      const { server } = world.get();
      const first = await page.context().newPage();
      await first.goto(server.url + paths.account);
      await signIn(first, account);
      await first.locator('#sign-out').waitFor();
      const popup = await openPopup(page, server.url + paths.account);
      await popup.locator('#sign-out').waitFor();
      expect(await isConnected(page, popup)).toEqual([false, false]);
    });
  });
});
