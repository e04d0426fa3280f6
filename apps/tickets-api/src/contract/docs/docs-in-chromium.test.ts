import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describeWith } from '@keydesk/testing';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../api.fixture.ts';
import { startTokenEndpoint, type TokenEndpoint } from './token-endpoint.fixture.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Bounds nothing but a test that is lost. */
const STEP_LIMIT_MS = 60_000;
const client = { id: 'night-shift', secret: 'kds_secret' };

describeWith('chromium', '/docs in Chromium', (executablePath) => {
  let auth: TokenEndpoint;
  let api: TestApi;
  let browser: Browser;
  beforeAll(async () => {
    auth = await startTokenEndpoint(client, (scope) =>
      api.issuer.token({ iss: auth.issuer, role: 'agent', scope }),
    );
    api = await startApi({ env: { ISSUER: auth.issuer } });
    // Chromium cannot make its sandbox for root.
    browser = await chromium.launch({
      executablePath,
      args: [
        '--host-resolver-rules=MAP desk.example 127.0.0.1',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
    await auth?.stop();
  });

  async function open(
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ baseURL: api.url, ...options });
    page.setDefaultTimeout(STEP_LIMIT_MS);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (err) => complaints.push(err.message));
    await page.goto('/docs');
    return { page, complaints };
  }

  async function createTicket(tag: string): Promise<void> {
    const token = api.issuer.token({ iss: auth.issuer, role: 'agent', scope: 'tickets:write' });
    const headers = { Authorization: `Bearer ${token}` };
    const { status } = await api.request('POST', '/tickets.json', { subject: tag, tags: [tag] }, headers);
    expect(status).toBe(201);
  }

  async function fetchToken(page: Page, secret: string): Promise<void> {
    await page.getByLabel('Client id').fill(client.id);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Fetch a token' }).click();
  }

  describe.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('in %s, %i px wide', (colorScheme, width) => {
    test('is shown whole under its policy, gives axe nothing to find and never scrolls sideways (WCAG 2.2)', async () => {
      const { page, complaints } = await open({ colorScheme, viewport: { width, height: 800 } });
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      expect(violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.html}`)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(complaints).toEqual([]);
      await page.close();
    });
  });

  test('fetches a token and creates a ticket with it, in XML', async () => {
    const { page, complaints } = await open();
    await fetchToken(page, client.secret);
    await page.getByText('Good for 600 s, with tickets:read tickets:write tickets:delete.').waitFor();
    const form = page.locator('#addTicket .try');
    await form.getByText('Try it').click();
    await form.getByLabel('format').selectOption('xml');
    await form.getByLabel('Content-Type').selectOption('application/x-www-form-urlencoded');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('201 Created').waitFor();
    expect(await form.locator('.result').textContent()).toContain(
      '<subject>The printer is on fire</subject>',
    );
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('sends the parameters that were given, and no others', async () => {
    await createTicket('found');
    await createTicket('other');
    const { page } = await open();
    await fetchToken(page, client.secret);
    await page.getByText('Good for 600 s').waitFor();
    const list = page.locator('#listTickets .try');
    await list.getByText('Try it').click();
    await list.getByText('More parameters').click();
    await list.getByLabel('tag', { exact: true }).fill('found');
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('200 OK').waitFor();
    const shown = await list.locator('.result').textContent();
    expect(shown).toContain('"found"');
    expect(shown).not.toContain('"other"');
    await page.close();
  });

  test('says why there is no token, and what the API answers without one', async () => {
    const { page } = await open();
    await fetchToken(page, 'wrong');
    await page.getByText('No token: client authentication failed').waitFor();
    const list = page.locator('#listTickets .try');
    await list.getByText('Try it').click();
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('401 Unauthorized').waitFor();
    await page.close();
  });

  test('offers to copy examples where the browser lets a page do so: from a secure origin', async () => {
    const secure = await open();
    await secure.page.getByRole('button', { name: 'Copy' }).first().click();
    await secure.page.getByRole('button', { name: 'Copied' }).waitFor();
    const plain = await open({ baseURL: api.url.replace('127.0.0.1', 'desk.example') });
    expect(await plain.page.getByRole('button', { name: 'Fetch a token' }).isVisible()).toBe(true);
    expect(await plain.page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    expect(secure.complaints).toEqual([]);
    // Chromium applies this header to secure origins only, and says so.
    expect(plain.complaints).toEqual([
      expect.stringMatching(/^The Cross-Origin-Opener-Policy header .* ignored/),
    ]);
    await secure.page.close();
    await plain.page.close();
  });

  test('can be read without its script, and shows no form that would do nothing', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_LIMIT_MS);
    await page.goto(`${api.url}/docs`);
    expect(await page.getByRole('heading', { name: 'Add a ticket' }).isVisible()).toBe(true);
    expect(await page.getByText('Try it').first().isVisible()).toBe(false);
    await context.close();
  });
});
