import { describeWith } from '@keydesk/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { paths } from '../../web/kit/account-paths.ts';
import { signIn, useWorld } from './world.fixture.ts';

/** Opens a URL in a popup, like a script of the page. */
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

  describe('a popup in which a single-page application signs users in', () => {
    it('keeps the connection to its opener on all pages of the interaction', async () => {
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

  describe('an account page (HTML Living Standard, cross-origin opener policies)', () => {
    it('has no connection to the site that opened it', async () => {
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
