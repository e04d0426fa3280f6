import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readCommandLine, readCount } from '@keydesk/testing';
import { type Browser, chromium } from 'playwright-core';
import { startPreview } from './preview-server.fixture.ts';
import { sampleBrand } from './samples.fixture.ts';

const usage = `Usage: npm run -s screenshots -- [--folder docs/screenshots] [--language en|de] [--width 520] [--whole] [PAGE…]

Saves screenshots of the pages with sample data, so that they change only when the pages do. Without PAGE, saves the
pages that the README shows. --whole captures the full height of a page.`;
const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'docs/screenshots' },
    language: { type: 'string', default: 'en' },
    width: { type: 'string', default: '520' },
    whole: { type: 'boolean', default: false },
  },
});

/** Screenshots of the README. */
const README_PAGES = ['sign-in', 'consent-verified', 'secret-shown', 'passkeys', 'two-step-on', 'sessions'];
const HEIGHT = 900;
/** The README shows three in a row, so that each image pixel matches one pixel of a high-density screen. */
const deviceScaleFactor = 1.5;
const width = readCount('--width', values.width);
const names = positionals.length > 0 ? positionals : README_PAGES;

async function saveScreenshots(browser: Browser, url: string): Promise<void> {
  const viewport = { width, height: HEIGHT };
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor });
    for (const name of names) {
      const path = join(values.folder, `${name}-${colorScheme}.png`);
      await page.goto(`${url}${values.language}/${name}`);
      await page.screenshot({ path, fullPage: values.whole, caret: 'hide' });
      process.stdout.write(`${path}\n`);
    }
  }
}

await mkdir(values.folder, { recursive: true });
const server = await startPreview(sampleBrand);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Chromium cannot create its sandbox as root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  await saveScreenshots(browser, server.url);
} finally {
  await browser.close();
  await server.close();
}
