import { describeWith, findAxeViolations } from '@keydesk/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { password } from '../test-server.fixture.ts';
import { tourPages } from './tour.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

const FOCUSED = 'document.activeElement.id || document.activeElement.textContent.trim()';

describeWith('chromium', 'the accessibility of pages, in Chromium', (executablePath) => {
  describe('all pages', () => {
    // Passkeys need a host name.
    const world = useWorld(executablePath, { host: 'localhost', hasProvider: true });

    it.each([
      ['en-GB', 'light', 320],
      ['de-DE', 'dark', 320],
      ['en-GB', 'dark', 1280],
      ['de-DE', 'light', 1280],
    ] as const)(
      'have no axe violations, no horizontal scrolling (WCAG 2.2, 1.4.10) and one language in %s, %s, %s px wide',
      async (locale, colorScheme, width) => {
        const viewport = { width, height: 640 };
        const page = await world.openWindow({ locale, colorScheme, viewport });
        const language = locale.slice(0, 2);
        const findings: string[] = [];
        const visited: string[] = [];

        await tourPages({ page, ...world.get() }, async (name) => {
          visited.push(name);
          const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
          if (scrolled > width) findings.push(`${name} is ${scrolled} px wide`);
          const lang = await page.evaluate<string>('document.documentElement.lang');
          if (lang !== language) findings.push(`${name} is in ${lang}`);
          findings.push(...(await findAxeViolations(page)).map((violation) => `${name}: ${violation}`));
        });
        expect(findings).toEqual([]);
        expect(visited.length).toBeGreaterThan(50);
      },
    );
  });

  const world = useWorld(executablePath);

  it('follows the language of the browser', async () => {
    const { page } = await world.openApplication({ locale: 'de-DE' });
    await page.click('#sign-in');
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('allows sign-in by keyboard alone, in reading order (WCAG 2.2, 2.1.1, 2.4.3)', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await page.locator('#email').waitFor();
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('email');
    await page.keyboard.type(account.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    const order = [await page.evaluate(FOCUSED)];
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Tab');
      order.push(await page.evaluate(FOCUSED));
    }
    expect(order).toEqual([
      'password',
      'Show password',
      'forgot-password',
      'submit',
      'create-account',
      'cancel',
    ]);
    for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('#consent').waitFor();
    await page.waitForLoadState();
    await tabTo(page, 'allow');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
  });

  it('offers a link that skips to the content', async () => {
    const { server } = world.get();
    const page = await world.openWindow();
    await page.goto(`${server.url}/account`);
    await signIn(page, await server.addAccount());
    await page.locator('#change-name').waitFor();
    await page.waitForLoadState();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(FOCUSED)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).toBe('#main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(FOCUSED)).toBe('change-name');
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, id: string): Promise<void> {
  for (let i = 0; i < 30; i++) {
    if ((await page.evaluate(FOCUSED)) === id) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${id}.`);
}
