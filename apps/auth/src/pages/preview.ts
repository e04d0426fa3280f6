import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { startPreview } from './preview-server.fixture.ts';
import { sampleBrand } from './samples.fixture.ts';

/*
 * Shows the pages with sample data, to look at while working on them (see README.md):
 *   node apps/auth/src/pages/preview.ts [--port 4000] [--color '#0b7a4b']
 *   node apps/auth/src/pages/preview.ts --screenshots docs/screenshots [--language de] [sign-in consent-verified …]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '4000' },
    color: { type: 'string' },
    screenshots: { type: 'string' },
    language: { type: 'string', default: 'en' },
  },
});

/** The pages that say most about the whole. */
const SHOWN = ['sign-in', 'consent-unverified', 'device-confirm', 'connected-applications', 'application'];

const sizes = [
  { suffix: 'desktop', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { suffix: 'mobile-dark', colorScheme: 'dark', viewport: { width: 390, height: 780 } },
] as const;

async function saveScreenshots(browser: Browser, url: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { suffix, ...size } of sizes) {
    const page = await browser.newPage(size);
    for (const name of positionals.length > 0 ? positionals : SHOWN) {
      await page.goto(`${url}${values.language}/${name}`);
      await page.screenshot({ path: join(folder, `${name}-${suffix}.png`), fullPage: true });
    }
  }
}

const brand = { ...sampleBrand, accentColor: values.color };
if (values.screenshots === undefined) {
  const { url } = await startPreview(brand, Number(values.port));
  process.stdout.write(`${url}\n`);
} else {
  const server = await startPreview(brand);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args,
  });
  await saveScreenshots(browser, server.url, values.screenshots);
  await browser.close();
  await server.close();
}
