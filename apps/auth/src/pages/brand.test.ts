import { readFileSync } from 'node:fs';
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backgrounds, createBrand } from './brand.ts';
import { type Color, contrast, parseColor } from './color.ts';
import { createPages } from './pages.ts';

const anyColor = array(constantFrom(...'0123456789abcdef'), { minLength: 6, maxLength: 6 }).map(
  (digits) => `#${digits.join('')}`,
);

/** Returns the custom properties of the light and the dark scheme. */
function colorsOf(css: string): Record<string, Color>[] {
  return css
    .split('@media')
    .map((scheme) =>
      Object.fromEntries(
        [...scheme.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [
          name,
          colorOf(value),
        ]),
      ),
    );
}

function colorOf(text: string): Color {
  const color = parseColor(text);
  if (color === undefined) throw new Error(`${text} is not a color`);
  return color;
}

describe("the operator's colors", () => {
  it('keep every page readable (WCAG 2.2, 1.4.3 and 1.4.11)', async () => {
    await assert(
      property(anyColor, anyColor, (accentColor, accentColorDark) => {
        const brand = createBrand({ name: 'Acme', accentColor, accentColorDark });
        const [light, dark] = colorsOf(String(brand.styleSheet.content));
        for (const [colors, background] of [
          [light, backgrounds.light],
          [dark, backgrounds.dark],
        ] as const) {
          const {
            accent,
            'accent-text': text,
            'accent-edge': edge,
            'on-accent': onAccent,
            'accent-hover': hover,
          } = colors ?? {};
          if (!accent || !text || !edge || !onAccent || !hover) throw new Error('a color is missing');
          expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(onAccent, hover)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(text, colorOf(background))).toBeGreaterThanOrEqual(4.5);
          expect(contrast(edge, colorOf(background))).toBeGreaterThanOrEqual(3);
        }
      }),
    );
  });

  it('are unchanged if they are readable', () => {
    const { content } = createBrand({ name: 'Acme', accentColor: '#3350C8' }).styleSheet;
    expect(content).toContain('--accent: #3350c8;');
    expect(content).toContain('--accent-text: #3350c8;');
  });

  it.each(['red', '#fff', '#12345g', '#123456;}', 'url(https://attacker.example)', '#123456 ', ''])(
    'are rejected unless they are colors: %j',
    (color) => {
      expect(() => createBrand({ name: 'Acme', accentColor: color })).toThrow('Invalid color');
      expect(() => createBrand({ name: 'Acme', accentColorDark: color })).toThrow('Invalid color');
    },
  );

  it('are measured against the actual backgrounds of the pages', () => {
    const css = readFileSync(new URL('styles/base.css', import.meta.url), 'utf8');
    expect(css).toContain(`--page: ${backgrounds.light};`);
    expect(css).toContain(`--surface: ${backgrounds.dark};`);
  });
});

describe("the operator's logo", () => {
  const presentation = { language: 'en' } as const;
  const view = { links: {} };

  it('has the name as its text alternative', () => {
    const brand = {
      name: 'Acme & Söhne',
      logoUrl: '/logo.svg',
      logoUrlDark: 'https://acme.example/dark.svg',
    };
    const page = createPages({ brand }).renderSignedOut(view, presentation);
    expect(page).toContain(
      '<source media="(prefers-color-scheme: dark)" srcset="https://acme.example/dark.svg">',
    );
    expect(page).toContain('src="/logo.svg" alt="Acme &amp; Söhne"');
  });

  it('is replaced by the name if it is not set', () => {
    const page = createPages({ brand: { name: 'Acme & Söhne' } }).renderSignedOut(view, presentation);
    expect(page).toContain('>Acme &amp; Söhne</span>');
  });

  it.each([{ logoUrl: 'javascript:alert(1)' }, { links: { privacy: '//attacker.example' } }])(
    'is rejected unless it is a URL: %j',
    (settings) => {
      expect(() => createBrand({ name: 'Acme', ...settings })).toThrow('Invalid link');
    },
  );
});

describe('a static file of the pages', () => {
  it('is named by its content, so that it can be cached forever', () => {
    const [styles, colors, icon] = createPages({ brand: { name: 'Acme' } }).assets;
    const [sameStyles, otherColors] = createPages({ brand: { name: 'Acme', accentColor: '#0b7a4b' } }).assets;
    expect(sameStyles).toEqual(styles);
    expect(otherColors?.path).not.toBe(colors?.path);
    expect(styles?.path).toBe(`/assets/${styles?.hash}.css`);
    expect(styles?.hash).toMatch(/^[\w-]{16}$/);
    expect(icon?.path).toMatch(/\.svg$/);
  });

  it('is linked by every page, except for scripts', () => {
    const pages = createPages({ brand: { name: 'Acme' } });
    const page = pages.renderSignedOut({ links: {} }, { language: 'en' });
    for (const { path } of pages.assets) expect(page.includes(`"${path}"`)).toBe(!path.endsWith('.js'));
  });
});
