import { describeWith, findAxeViolations } from '@keydesk/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PreviewServer, startPreview } from './preview-server.fixture.ts';
import { sampleBrand, samples } from './samples.fixture.ts';

/** Chromium's console message when these tests move the focus before the page has set it. */
const FOCUSED_EARLIER = 'Autofocus processing was blocked';

describeWith('chromium', 'every page in Chromium', (executablePath) => {
  let server: PreviewServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startPreview(sampleBrand);
    // Chromium cannot create its sandbox as root.
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
    ['en', 'with JavaScript', true],
    ['en', 'without JavaScript', false],
    ['de', 'with JavaScript', true],
    ['de', 'without JavaScript', false],
  ] as const)('in "%s", %s, on each screen', (language, _, javaScriptEnabled) => {
    const findings = Object.fromEntries(
      [...Object.keys(defects), 'axe', 'refused'].map((finding) => [finding, [] as string[]]),
    );
    const add = (finding: string, ...texts: readonly string[]) => findings[finding]?.push(...texts);

    beforeAll(async () => {
      const page = await browser.newPage({ javaScriptEnabled, reducedMotion: 'reduce' });
      page.on('console', (message) => {
        if (!message.text().includes(FOCUSED_EARLIER)) add('refused', `${page.url()}: ${message.text()}`);
      });
      page.on('pageerror', (err) => add('refused', `${page.url()}: ${err.message}`));
      for (const { name } of samples) {
        await page.goto(`${server.url}${language}/${name}`);
        for (const screen of screensOf(javaScriptEnabled)) await examine(page, name, screen);
      }
      await page.close();
    });

    async function examine(page: Page, name: string, screen: (typeof screens)[number]): Promise<void> {
      const { width, colorScheme } = screen;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
      const place = `${name} (${width} px, ${colorScheme})`;
      const found = await page.evaluate<Record<string, string[]>>(FIND_DEFECTS);
      for (const [finding, texts] of Object.entries(found))
        add(finding, ...texts.map((text) => `${place}: ${text}`));
      if (!javaScriptEnabled || screen.axe !== language) return;
      add('axe', ...(await findAxeViolations(page)).map((violation) => `${place}: ${violation}`));
    }

    it('has no violations in axe', () => expect(findings.axe).toEqual([]));
    it('never scrolls horizontally (WCAG 2.2, 1.4.10)', () => expect(findings.wide).toEqual([]));
    it('cuts no text off', () => expect(findings.cut).toEqual([]));
    it('shows the focus on every element (WCAG 2.2, 2.4.7)', () => expect(findings.unfocused).toEqual([]));
    it('has no motion if the user prefers reduced motion', () => expect(findings.moving).toEqual([]));
    it('keeps a gap between fields', () => expect(findings.crowded).toEqual([]));
    it('keeps a gap between a form and the content below it', () => expect(findings.clinging).toEqual([]));
    it('breaks no line of its title within "e-mail"', () => expect(findings.broken).toEqual([]));
    it('renders completely under a policy without inline content', () =>
      expect(findings.refused).toEqual([]));
  });

  it.each(['sign-in', 'consent-more', 'connected-applications', 'application', 'application-register'])(
    'shows the focus on every element that the Tab key reaches, on "%s" (WCAG 2.2, 2.4.7)',
    async (name) => {
      const page = await browser.newPage();
      await page.goto(`${server.url}en/${name}`);
      const outlines: string[] = [];
      const focusable = await page
        .locator('a[href], button, input:not([type=hidden]), textarea, select, summary')
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

  it('reveals a password on request and hides it before the form is sent', async () => {
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
    await page.evaluate(PREVENT_SUBMIT);
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
  ])('rates the new password %j while it is typed and explains why', async (typed, level, text) => {
    const page = await browser.newPage();
    await page.goto(`${server.url}en/change-password`);
    const meter = page.locator('.strength');
    expect(await meter.isVisible()).toBe(false);
    await page.fill('#new_password', typed);
    expect(await meter.getAttribute('data-level')).toBe(level);
    expect(await meter.getByRole('status').innerText()).toBe(text);
    expect(await findAxeViolations(page)).toEqual([]);
    await page.close();
  });

  it('offers to reveal a password only if scripts run', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${server.url}en/sign-in`);
    expect(await page.locator('.reveal').isVisible()).toBe(false);
    await page.close();
  });

  it('keeps the navigation in one row on a phone, with the current entry visible', async () => {
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

  it('hides fields for user sign-in from machine clients, without a script', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${server.url}en/application-register`);
    const redirectUris = page.locator('#redirect_uris');
    expect(await redirectUris.isVisible()).toBe(true);
    await page.locator('#type-machine').check();
    expect(await redirectUris.isVisible()).toBe(false);
    await page.close();
  });
});

/**
 * A desktop, a phone, and the narrowest viewport of WCAG; `axe` is the language in which axe checks the pages. Each
 * width once: colours move no box.
 */
const screens = [
  { width: 1280, colorScheme: 'light', axe: 'en' },
  { width: 390, colorScheme: 'dark', axe: 'en' },
  { width: 320, colorScheme: 'dark', axe: 'de' },
] as const;

/** Elements whose text may be cut off, such as content for screen readers. */
const EXEMPT_FROM_CUT = '.visually-hidden, .skip, script, style, textarea, select';

/** Returns the screens to check. Omits the narrowest one without scripts, which do not change the width of a page. */
function screensOf(javaScriptEnabled: boolean) {
  return screens.filter(({ width }) => javaScriptEnabled || width > 320);
}

/** Prevents forms from being submitted, after the page's own handlers. */
const PREVENT_SUBMIT = `for (const form of document.forms) {
  form.noValidate = true;
  form.addEventListener('submit', (event) => event.preventDefault());
}`;

/** Expressions that list the elements of a page with each defect. */
const defects = {
  wide: `[document.documentElement.scrollWidth].filter((width) => width > innerWidth).map(String)`,
  /** Elements with a transition or an animation. */
  moving: `[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return parseFloat(transitionDuration) > 0 || animationName !== 'none';
  }).map(({ outerHTML }) => outerHTML.slice(0, 80))`,
  /** Fields that begin less than 8 px below another one. */
  crowded: `[...document.querySelectorAll('.field')].filter((field, i, fields) => {
    if (i === 0 || !field.checkVisibility()) return false;
    const [box, above] = [field.getBoundingClientRect(), fields[i - 1].getBoundingClientRect()];
    return box.left < above.right && box.top - above.bottom < 8;
  }).map((field) => field.querySelector('label').htmlFor)`,
  /** Elements below a form with less than the normal gap. */
  clinging: `[...document.querySelectorAll('form + .aside')].filter((aside) =>
    aside.getBoundingClientRect().top - aside.previousElementSibling.getBoundingClientRect().bottom < 16)
    .map(({ textContent }) => textContent)`,
  /** Titles in which "e-mail" is broken across lines. */
  broken: `[...document.querySelectorAll('h1')].map((title) => title.firstChild)
    .filter((text) => text instanceof Text && /e.mail/i.test(text.data)).filter((text) => {
      const word = document.createRange();
      word.setStart(text, text.data.search(/e.mail/i));
      word.setEnd(text, word.startOffset + 6);
      return word.getClientRects().length > 1;
    }).map(({ data }) => data)`,
  /** Texts that the window or an ancestor without scrolling cuts off. */
  cut: `[...document.querySelectorAll('body *:not(${EXEMPT_FROM_CUT})')].flatMap(({ childNodes }) => [...childNodes])
    .filter((text) => text instanceof Text && text.data.trim() && text.parentElement.checkVisibility()
      && !text.parentElement.closest('${EXEMPT_FROM_CUT}')).filter((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      let frame = text.parentElement;
      while (frame && getComputedStyle(frame).overflowX === 'visible') frame = frame.parentElement;
      if (frame && ['auto', 'scroll'].includes(getComputedStyle(frame).overflowX)) return false;
      const { left, right } = frame?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
      return box.left < left - 1 || box.right > right + 1;
    }).map(({ data }) => data.trim())`,
  /** Focused elements without an outline. */
  unfocused: `[...document.querySelectorAll('a[href], button, input, textarea, select, summary')].filter((element) => {
    element.focus({ focusVisible: true });
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return document.activeElement === element && (outlineStyle !== 'solid' || outlineWidth !== '2px');
  }).map(({ outerHTML }) => outerHTML.slice(0, 80))`,
};

const FIND_DEFECTS = `({ ${Object.entries(defects)
  .map(([name, list]) => `${name}: ${list}`)
  .join(', ')} })`;

/** Expression for the outline of the focused element; empty if the document itself has the focus. */
const OUTLINE = `[document.activeElement].filter((element) => element !== document.body)
  .map((element) => getComputedStyle(element)).map((style) => style.outlineStyle + ' ' + style.outlineWidth)`;
