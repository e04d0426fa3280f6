import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '@keydesk/testing';
import { chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startKeydesk } from '../start/start.fixture.ts';

/** Generous limit; only a failing test reaches it. */
const STEP_LIMIT_MS = 60_000;
const isRoot = process.getuid?.() === 0;

/** Signs in as the agent of `npm start` and allows the request in the new window. */
async function signIn(page: Page, password: string): Promise<void> {
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Authorize', exact: true }).first().click(),
  ]);
  const closed = window.waitForEvent('close');
  await window.fill('#email', 'agent@example.com');
  await window.fill('#password', password);
  await window.click('#submit');
  await window.click('#allow');
  await closed;
}

describeWith('chromium', 'the API reference of npm start in Chromium', (executablePath) => {
  it('signs users in with PKCE (RFC 7636) as the client of the data folder, and sends a request', async () => {
    const { apiPort, authPort, folder, output } = await startKeydesk();
    const [, password = ''] = /agent@example\.com +(\S+)/.exec(output()) ?? [];
    const { client_id } = JSON.parse(readFileSync(join(folder, 'docs-client.json'), 'utf8'));
    const browser = await chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    page.context().setDefaultTimeout(STEP_LIMIT_MS);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() !== 'info') complaints.push(message.text());
    });
    page.on('pageerror', (err) => complaints.push(err.message));
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${request.url()}`));

    await page.goto(`http://127.0.0.1:${apiPort}/docs/reference`);
    const requested = page.context().waitForEvent('request', (each) => each.url().includes('/auth?'));
    await signIn(page, password);
    const parameters = Object.fromEntries(new URL((await requested).url()).searchParams);
    expect(parameters).toMatchObject({ client_id, code_challenge_method: 'S256' });
    await page.getByText('Access Token:').first().waitFor();

    await page.getByRole('button', { name: /^Test Request.*get \/tickets\./s }).click();
    await page.getByRole('button', { name: /^Send/ }).first().click();
    await page.getByText('200 OK').waitFor();
    expect(sent.filter((each) => each.startsWith('POST'))).toEqual([
      `POST http://127.0.0.1:${authPort}/token`,
    ]);
    const origins = new Set(sent.map((each) => new URL(each.split(' ')[1] ?? '').origin));
    expect([...origins].toSorted()).toEqual(
      [`http://127.0.0.1:${apiPort}`, `http://127.0.0.1:${authPort}`].toSorted(),
    );
    expect(complaints).toEqual([]);
  });
});
