import { readFile } from 'node:fs/promises';
import { describeWith } from '@keydesk/testing';
import jsQR from 'jsqr';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createApp } from '../authenticator-app.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

interface Pixels {
  data: number[];
  width: number;
  height: number;
}

/** Returns the script that decodes a PNG, base64, to its pixels. */
const toDecoder = (png: string) => `(async () => {
  const bytes = Uint8Array.from(atob('${png}'), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  return { data: [...context.getImageData(0, 0, width, height).data], width, height };
})()`;

describeWith('chromium', 'the set-up of an authenticator app in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  async function openSetUp(options: Parameters<typeof world.openWindow>[0]): Promise<Page> {
    const page = await world.openWindow(options);
    await page.goto(`${world.get().server.url}/account/two-step/app`);
    await signIn(page, await world.get().server.addAccount());
    await page.locator('#qr-code').waitFor();
    return page;
  }

  /** Reads the QR code as the camera of a phone would. */
  async function scan(page: Page): Promise<string | undefined> {
    const png = await page.locator('#qr-code').screenshot();
    const blank = await page.context().newPage();
    const { data, width, height } = await blank.evaluate<Pixels>(toDecoder(png.toString('base64')));
    return jsQR.default(Uint8ClampedArray.from(data), width, height)?.data;
  }

  it.each(['light', 'dark'] as const)(
    'shows a QR code of the secret that a phone can read, in the %s color scheme',
    async (colorScheme) => {
      const page = await openSetUp({ colorScheme });
      const read = new URL((await scan(page)) ?? '');
      expect(read.href).toBe(await page.locator('#open-app').getAttribute('href'));
      expect([read.protocol, read.host]).toEqual(['otpauth:', 'totp']);
      expect(read.searchParams.get('secret')).toBe(await page.inputValue('#secret'));
    },
  );

  describe('the recovery codes', () => {
    it('are copied, saved and printed as they are shown', async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      const page = await openSetUp({ permissions });
      const app = createApp(await page.inputValue('#secret'), world.get().server);
      await page.fill('#code', app.currentCode());
      await page.click('#set-up-totp #submit');
      const shown = await page.innerText('#codes');
      await page.click('[data-copies="codes"]');
      await page.locator('[data-copies="codes"]', { hasText: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
      expect(download.suggestedFilename()).toBe('recovery-codes.txt');
      expect(await readFile(await download.path(), 'utf8')).toContain(shown);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('#codes').isVisible()).toBe(true);
    });
  });
});
