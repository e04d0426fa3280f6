import { describeWith, findAxeViolations } from '@keydesk/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';

/** Only bounds a hanging test. */
const STEP_LIMIT_MS = 60_000;
/** Known accessibility faults in the markup of the API reader, a third-party component. */
const faultsOfReader = ['aria-required-attr', 'button-name'];

describeWith('chromium', '/docs in Chromium', (executablePath) => {
  let api: TestApi;
  let browser: Browser;
  beforeAll(async () => {
    api = await startApi();
    // Chromium has no sandbox for root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  /** Opens a page and collects console messages and requests to other origins. */
  async function open(
    path: string,
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<{ page: Page; errors: string[] }> {
    const page = await browser.newPage({ baseURL: api.url, ...options });
    page.setDefaultTimeout(STEP_LIMIT_MS);
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() !== 'info') errors.push(message.text());
    });
    page.on('pageerror', (err) => errors.push(err.message));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== api.url) errors.push(`requests ${request.url()}`);
    });
    await page.goto(path);
    return { page, errors };
  }

  async function widthOf(page: Page): Promise<number> {
    return page.evaluate<number>('document.documentElement.scrollWidth');
  }

  async function openReader(options?: Parameters<Browser['newPage']>[0]) {
    const opened = await open('/docs/reference', options);
    await opened.page.getByRole('heading', { name: 'Keydesk API' }).waitFor();
    return opened;
  }

  describe.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('in %s, %i px wide', (colorScheme, width) => {
    test('guides have no axe violations and no horizontal scrolling (WCAG 2.2)', async () => {
      const guides = [
        '',
        '/quick-start',
        '/authentication',
        '/lists',
        '/changes',
        '/safe-changes',
        '/errors',
      ];
      for (const guide of [...guides, '/http-api', '/connect', '/connect-javascript']) {
        const { page, errors } = await open(`/docs${guide}`, {
          colorScheme,
          viewport: { width, height: 800 },
        });
        expect(await findAxeViolations(page), guide).toEqual([]);
        expect(await widthOf(page), guide).toBe(width);
        expect(errors, guide).toEqual([]);
        await page.close();
      }
    });

    test('the reader loads from its own origin, without errors and horizontal scrolling', async () => {
      const { page, errors } = await openReader({ colorScheme, viewport: { width, height: 800 } });
      const faults = await findAxeViolations(page);
      expect(faults.filter((fault) => !faultsOfReader.some((id) => fault.startsWith(id)))).toEqual([]);
      expect(await widthOf(page)).toBe(width);
      expect(errors).toEqual([]);
      await page.close();
    });
  });

  test('the search of the reader finds an operation', async () => {
    const { page, errors } = await openReader();
    await page.getByRole('button', { name: 'Open Search' }).first().click();
    await page.keyboard.type('fetch one ticket');
    await page.getByRole('option', { name: 'Fetch one ticket' }).first().click();
    await page.waitForURL(/#tag\/tickets\/fetchTicket$/);
    await page.getByRole('heading', { name: 'Fetch one ticket' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test('the search of the guides finds sections and operations, including by keyboard', async () => {
    const { page, errors } = await open('/docs/quick-start');
    await page.keyboard.press('/');
    await page.keyboard.type('position_expired');
    await page.getByRole('link', { name: /^position_expired/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/errors#position_expired$/);
    await page.getByRole('searchbox').fill('restore ticket');
    await page.getByRole('link', { name: /^Restore a deleted ticket/ }).click();
    await page.waitForURL(/\/docs\/reference#tag\/tickets\/restoreTicket$/);
    await page.getByRole('heading', { name: 'Restore a deleted ticket' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test('guides work without JavaScript, hide the search and link to each other', async () => {
    const { page } = await open('/docs', { javaScriptEnabled: false });
    expect(await page.getByRole('searchbox').count()).toBe(0);
    await page.getByRole('link', { name: 'Errors' }).first().click();
    await page.getByRole('heading', { name: 'precondition_failed' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Keydesk API' }).waitFor();
    await page.close();
  });
});
