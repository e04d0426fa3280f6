import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describeWith } from '@keydesk/testing';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PreviewServer, startPreview } from './preview-server.fixture.ts';
import { type Sample, sampleBrand, samples } from './samples.fixture.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describeWith('chromium', 'every page in Chromium', (executablePath) => {
  let server: PreviewServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startPreview(sampleBrand);
    // Chromium cannot make its sandbox for root.
    browser = await chromium.launch({
      executablePath,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  describe.each([
    ['en', 'light'],
    ['de', 'dark'],
  ] as const)('in "%s", %s, on a small screen', (language, colorScheme) => {
    const findings = {
      axe: [] as string[],
      wide: [] as string[],
      moving: [] as string[],
      refused: [] as string[],
      crowded: [] as string[],
      clinging: [] as string[],
      broken: [] as string[],
    };

    beforeAll(async () => {
      const viewport = { width: 320, height: 640 };
      const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' });
      page.on('console', (message) => findings.refused.push(`${page.url()}: ${message.text()}`));
      for (const sample of samples) await examine(page, sample);
      await page.close();
    });

    async function examine(page: Page, { name }: Sample): Promise<void> {
      await page.goto(`${server.url}${language}/${name}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 320) findings.wide.push(`${name} is ${width} px wide`);
      for (const id of await page.evaluate<string[]>(CROWDED)) findings.crowded.push(`${name}: ${id}`);
      for (const finding of await findFaults(page)) findings[finding].push(name);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      for (const { id, nodes } of violations) findings.axe.push(`${name}: ${id} at ${nodes[0]?.html}`);
    }

    it('gives axe nothing to find', () => expect(findings.axe).toEqual([]));
    it('never scrolls sideways (WCAG 2.2, 1.4.10)', () => expect(findings.wide).toEqual([]));
    it('moves nothing for people who asked for that', () => expect(findings.moving).toEqual([]));
    it('keeps every field apart from the one above it', () => expect(findings.crowded).toEqual([]));
    it('keeps what stands below a form apart from its button', () => expect(findings.clinging).toEqual([]));
    it('breaks no line of its title within "e-mail"', () => expect(findings.broken).toEqual([]));
    it('is shown whole under a policy that allows nothing inline', () =>
      expect(findings.refused).toEqual([]));
  });

  it.each(['sign-in', 'consent-more', 'connected-applications', 'application', 'application-register'])(
    'shows where the focus is, whatever has it, on "%s" (WCAG 2.2, 2.4.7)',
    async (name) => {
      const page = await browser.newPage();
      await page.goto(`${server.url}en/${name}`);
      const outlines: string[] = [];
      const focusable = await page
        .locator('a[href], button, input:not([type=hidden]), textarea, summary')
        .count();
      for (let i = 0; i < focusable; i++) {
        await page.keyboard.press('Tab');
        outlines.push(...(await page.evaluate<string[]>(OUTLINE)));
      }
      expect(outlines.length).toBeGreaterThan(focusable / 2);
      expect(new Set(outlines)).toEqual(new Set(['solid 2px']));
      await page.close();
    },
  );

  it('shows a password on request, and hides it before the form is sent', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}en/change-password`);
    const button = page.getByRole('button', { name: 'Show new password' });
    const isShown = async () => [
      await page.getAttribute('#new_password', 'type'),
      await button.getAttribute('aria-pressed'),
    ];
    expect(await isShown()).toEqual(['password', 'false']);
    await button.click();
    expect(await isShown()).toEqual(['text', 'true']);
    expect(await page.getAttribute('#current_password', 'type')).toBe('password');
    await page.evaluate(HOLD_FORMS);
    await page.evaluate("document.getElementById('change-password').requestSubmit()");
    expect(await isShown()).toEqual(['password', 'false']);
    await page.close();
  });

  it.each([
    ['aaaaaaaaaaaa', 'weak', 'Weak: it repeats the same few characters.'],
    ['tiny pass', 'weak', 'Weak: use at least 10 characters.'],
    ['ada.lovelace85', 'weak', 'Weak: attackers try your name and your address first.'],
    ['kx7#Qm2!vB', 'fair', 'Fair: long enough. Another word makes it harder to guess.'],
    ['another yellow umbrella', 'good', 'Good: long. Only well-known phrases are easy to guess.'],
  ])(
    'tells of the new password %j, while it is typed, how strong it is and why',
    async (typed, level, text) => {
      const page = await browser.newPage();
      await page.goto(`${server.url}en/change-password`);
      const meter = page.locator('.strength');
      expect(await meter.isVisible()).toBe(false);
      await page.fill('#new_password', typed);
      expect(await meter.getAttribute('data-level')).toBe(level);
      expect(await meter.getByRole('status').innerText()).toBe(text);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      expect(violations).toEqual([]);
      await page.close();
    },
  );

  it('offers to show a password only where scripts run', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${server.url}en/sign-in`);
    expect(await page.locator('.reveal').isVisible()).toBe(false);
    await page.close();
  });

  it('keeps the navigation in one row on a phone, with the current entry in sight', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    for (const name of ['account', 'applications']) {
      await page.goto(`${server.url}de/${name}`);
      const entries = await page.locator('.shell-nav a').all();
      const boxes = await Promise.all(entries.map((entry) => entry.boundingBox()));
      expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
      const current = await page.locator('.shell-nav [aria-current]').boundingBox();
      expect(current?.x).toBeGreaterThanOrEqual(0);
      expect((current?.x ?? 0) + (current?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    await page.close();
  });

  it('hides from a machine what only people need, without a script', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${server.url}en/application-register`);
    const redirectUris = page.locator('#redirect_uris');
    expect(await redirectUris.isVisible()).toBe(true);
    await page.locator('#type-machine').check();
    expect(await redirectUris.isVisible()).toBe(false);
    await page.close();
  });
});

/** Keeps forms from being sent, after what their page does first. */
const HOLD_FORMS = `for (const form of document.forms) {
  form.noValidate = true;
  form.addEventListener('submit', (event) => event.preventDefault());
}`;

/** Whether anything on the page has a transition or an animation. */
const MOVES = `[...document.querySelectorAll('*')].map((element) => getComputedStyle(element))
  .some((style) => parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none')`;

/** The fields that begin within 8 px below another one. */
const CROWDED = `[...document.querySelectorAll('.field')].filter((field, i, fields) => i > 0
    && field.getBoundingClientRect().top - fields[i - 1].getBoundingClientRect().bottom < 8 && field.checkVisibility())
  .map((field) => field.querySelector('label').htmlFor)`;

/** Whether something stands closer below a form than the parts of a page do. */
const CLINGS = `[...document.querySelectorAll('form + .aside')].some((aside) =>
  aside.getBoundingClientRect().top - aside.previousElementSibling.getBoundingClientRect().bottom < 16)`;

/** Whether "e-mail" in the title stands in more than one line. */
const BREAKS_EMAIL = `[...document.querySelectorAll('h1')].map((title) => title.firstChild)
  .filter((text) => text instanceof Text && /e.mail/i.test(text.data)).some((text) => {
    const word = document.createRange();
    word.setStart(text, text.data.search(/e.mail/i));
    word.setEnd(text, word.startOffset + 6);
    return word.getClientRects().length > 1;
  })`;

/** How the outline looks of what has the focus; nothing when the page as a whole has it. */
const OUTLINE = `[document.activeElement].filter((element) => element !== document.body)
  .map((element) => getComputedStyle(element)).map((style) => style.outlineStyle + ' ' + style.outlineWidth)`;

const faults = [
  ['moving', MOVES],
  ['clinging', CLINGS],
  ['broken', BREAKS_EMAIL],
] as const;

async function findFaults(page: Page) {
  const found: (typeof faults)[number][0][] = [];
  for (const [fault, question] of faults) if (await page.evaluate<boolean>(question)) found.push(fault);
  return found;
}
