import { describeWith } from '@keydesk/testing';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  jpeg,
  jpegSegment,
  png,
  pngChunk,
  webp,
  webpChunk,
  webpChunks,
} from '../../clients/logo/image.fixture.ts';
import { applicationsPath } from '../../web/developer/portal/paths.ts';
import { signIn, useWorld } from './world.fixture.ts';

const { extended, alpha, lossy, lossless } = webpChunks;
const metadata = Buffer.from('Exif\0\0somewhere');

/** Images; metadata is removed before they are served. */
const files = {
  'PNG with text': png({ width: 24, height: 16, chunks: [pngChunk('tEXt', metadata)] }),
  'JPEG with Exif data': jpeg(jpegSegment(0xe1, metadata)),
  'lossy WebP': webp(lossy),
  'lossless WebP': webp(lossless),
  'WebP with transparency and Exif data': webp(extended(0x18), alpha, lossy, webpChunk('EXIF', metadata)),
};

describeWith('chromium', 'logos of applications in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  async function register(page: Page): Promise<void> {
    const { server, application } = world.get();
    await page.goto(server.url + applicationsPath);
    await signIn(page, await server.addAccount({ name: 'Grace Hopper' }));
    await page.click('#register');
    await page.check('#type-web');
    await page.fill('#name', 'Printshop');
    await page.fill('#redirect_uris', application.redirectUri);
    for (const scope of ['openid', 'profile', 'email', 'tickets:read'])
      await page.check(`input[name="scopes"][value="${scope}"]`);
    await page.click('#submit');
    await application.configure(await page.inputValue('#client_id'), await page.inputValue('#client_secret'));
    await page.click('#continue');
  }

  async function upload(page: Page, buffer: Buffer): Promise<void> {
    await page.setInputFiles('#logo', { name: 'logo', mimeType: 'image/png', buffer });
    await page.click('#upload-logo-button');
  }

  /** Returns the decoded size of an image in pixels. */
  const sizeOf = (image: Locator) =>
    image.evaluate(
      async (element: { decode(): Promise<void>; naturalWidth: number; naturalHeight: number }) => {
        await element.decode();
        return [element.naturalWidth, element.naturalHeight];
      },
    );

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s', (_, javaScriptEnabled) => {
    it('an uploaded logo is shown in the developer portal and on the consent page until it is removed', async () => {
      const developer = await world.openWindow({ javaScriptEnabled });
      await register(developer);
      for (const [name, buffer] of Object.entries(files)) {
        await upload(developer, buffer);
        await developer.locator('#notice').waitFor();
        expect([name, ...(await sizeOf(developer.locator('.title-row img.is-logo')))]).toEqual([
          name,
          24,
          16,
        ]);
      }
      const { page, account } = await world.openApplication({ javaScriptEnabled });
      await page.click('#sign-in');
      await signIn(page, account);
      await page.locator('#consent').waitFor();
      expect(await sizeOf(page.locator('img.is-logo'))).toEqual([24, 16]);
      await developer.click('#remove-logo-button');
      await developer.locator('#notice').waitFor();
      await page.reload();
      await page.locator('#consent').waitFor();
      expect(await page.locator('img.is-logo').count()).toBe(0);
    });

    it('a photograph of many megabytes, an SVG and a missing file are rejected with an explanation', async () => {
      const page = await world.openWindow({ javaScriptEnabled });
      await register(page);
      await upload(page, Buffer.alloc(8_000_000, 1));
      await page.locator('#logo-problem', { hasText: 'at most 200 KB' }).waitFor();
      await upload(page, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
      await page.locator('#logo-problem', { hasText: 'SVG' }).waitFor();
      await page.click('#upload-logo-button');
      await page.locator('#logo-problem', { hasText: 'Choose a file' }).waitFor();
      await page.locator('#logo:focus').waitFor();
    });
  });
});
