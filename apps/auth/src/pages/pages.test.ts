import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findAll, type HtmlElement, parseHtml, textOf } from './html.fixture.ts';
import { languages } from './language.ts';
import { createPages } from './pages.ts';
import { type Sample, sampleBrand, samples } from './samples.fixture.ts';

const pages = createPages({ brand: sampleBrand });

function render(
  sample: Sample,
  language: (typeof languages)[number] = 'en',
  view = sample.view,
): HtmlElement {
  return parseHtml(sample.render(pages, view, { language }));
}

/** Checks each page in each language; failures include its name. */
function forEveryPage(check: (page: HtmlElement, name: string) => void): void {
  for (const language of languages)
    for (const sample of samples) check(render(sample, language), `${sample.name} in "${language}"`);
}

it('are all in the table of README.md', () => {
  const table = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const names = Object.keys(pages).filter((name) => name.startsWith('render'));
  expect(names.filter((name) => !table.includes(`| \`${name}\``))).toEqual([]);
});

describe('every page, in English and in German', () => {
  it('has a language, a title and one main heading', () => {
    for (const language of languages)
      for (const sample of samples) {
        const page = render(sample, language);
        expect(findAll(page, 'html')[0]?.attributes.get('lang'), sample.name).toBe(language);
        expect(findAll(page, 'title').map(textOf), sample.name).toEqual([
          expect.stringMatching(/^\S.* – Acme Support$/),
        ]);
        expect(findAll(page, 'h1'), sample.name).toHaveLength(1);
      }
  });

  it('has no text with a missing value', () => {
    forEveryPage((page, name) => {
      const attributes = findAll(page).flatMap((element) => [...element.attributes.values()]);
      for (const text of [textOf(page), ...attributes])
        expect(
          text.match(/undefined|\[object|NaN|Invalid Date|(?<!\$)\{\w+(:\w+)?\}/)?.[0],
          name,
        ).toBeUndefined();
    });
  });

  it('has no inline script, inline style or event handler (CSP Level 3 §6.1)', () => {
    const forbidden = ['style', 'iframe', 'base', 'object'];
    forEveryPage((page, name) => {
      expect(
        findAll(page).filter((element) => forbidden.includes(element.name)),
        name,
      ).toEqual([]);
      for (const script of findAll(page, 'script')) {
        expect(script.attributes.get('src'), name).toMatch(/^\/assets\/[\w-]{16}\.js$/);
        expect(script.children, name).toEqual([]);
      }
      const attributes = findAll(page).flatMap((element) => [...element.attributes.keys()]);
      expect(
        attributes.filter((key) => key === 'style' || key.startsWith('on')),
        name,
      ).toEqual([]);
    });
  });

  it('posts every form with a CSRF token, except responses, which go to an application', () => {
    forEveryPage((page, name) => {
      for (const form of findAll(page, 'form')) {
        if (form.attributes.get('id') === 'response') continue;
        const tokens = findAll(form, 'input').filter(({ attributes }) =>
          /^(cs|xs)rf$/.test(attributes.get('name') ?? ''),
        );
        expect(form.attributes.get('method'), name).toBe('post');
        expect(
          tokens.map(({ attributes }) => attributes.get('value')),
          name,
        ).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
      }
    });
  });

  it('uses every id once and references no missing one', () => {
    forEveryPage((page, name) => {
      const attributes = findAll(page).map((element) => element.attributes);
      const ids = attributes.flatMap((one) => one.get('id') ?? []);
      expect(new Set(ids).size, name).toBe(ids.length);
      const references = attributes.flatMap((one) => [
        ...['for', 'aria-describedby', 'aria-labelledby', 'data-copies'].flatMap(
          (key) => one.get(key)?.split(' ') ?? [],
        ),
        ...(one.get('href')?.match(/(?<=^#).+/) ?? []),
      ]);
      expect(
        references.filter((id) => !ids.includes(id)),
        name,
      ).toEqual([]);
    });
  });

  it('labels every input and sets its autocomplete purpose', () => {
    forEveryPage((page, name) => {
      const labelled = findAll(page, 'label').map(({ attributes }) => attributes.get('for'));
      for (const { attributes } of [...findAll(page, 'input'), ...findAll(page, 'textarea')]) {
        if (attributes.get('type') === 'hidden' || attributes.has('hidden')) continue;
        expect(labelled, name).toContain(attributes.get('id'));
        if (/^(text|email|password|url)$/.test(attributes.get('type') ?? ''))
          expect(attributes.get('autocomplete'), name).toMatch(/^[a-z-]+( webauthn)?$/);
      }
    });
  });
});

describe('the page that posts a response', () => {
  it('has one script, which requires the nonce of the page (CSP Level 3 §6.1)', () => {
    const response = { action: 'https://app.example/callback', fields: { code: 'x' } };
    const view = { application: { name: 'Printshop' }, response, nonce: 'bm9uY2U=' };
    const scripts = findAll(parseHtml(pages.renderFormPost(view, { language: 'en' })), 'script');
    expect(scripts.map(({ attributes }) => [...attributes])).toEqual([[['nonce', 'bm9uY2U=']]]);
  });
});

describe('a rejected form', () => {
  const page = render(samples.find(({ name }) => name === 'sign-up-wrong') ?? raise('no such sample'));

  it('reports the problems first: in the title, and in an alert with links to the fields', () => {
    expect(findAll(page, 'title').map(textOf)).toEqual(['Error: Create account – Acme Support']);
    const alert =
      findAll(page).find(({ attributes }) => attributes.get('role') === 'alert') ?? raise('no alert');
    expect(findAll(alert, 'a').map(({ attributes }) => attributes.get('href'))).toEqual([
      '#name',
      '#email',
      '#password',
      '#password',
    ]);
  });

  it('marks each invalid field and describes the problem and the expected input', () => {
    const password = findAll(page, 'input').find(({ attributes }) => attributes.get('id') === 'password');
    expect(password?.attributes.get('aria-invalid')).toBe('true');
    expect(password?.attributes.get('aria-describedby')).toBe('password-hint password-problem');
  });

  it.each([
    ['sign-up-wrong', 'name'],
    ['sign-in-wrong', 'password'],
    ['forgot-password-wrong', 'email'],
    ['change-password-wrong', 'current_password'],
    ['application-register-wrong', 'type-machine'],
    ['application-edit', 'problems'],
  ])('puts the focus on the first invalid field, without a script: "%s" at #%s', (name, id) => {
    const refused = render(samples.find((sample) => sample.name === name) ?? raise('no such sample'));
    const focused = findAll(refused).filter(({ attributes }) => attributes.has('autofocus'));
    expect(focused.map(({ attributes }) => attributes.get('id'))).toEqual([id]);
  });

  it('is validated by the server, which reports every error, not by the browser, which reports one', () => {
    forEveryPage((page, name) => {
      for (const form of findAll(page, 'form')) {
        const typed = [...findAll(form, 'input'), ...findAll(form, 'textarea')].filter(
          ({ attributes }) => attributes.get('type') !== 'hidden',
        );
        expect(form.attributes.has('novalidate'), name).toBe(typed.length > 0);
      }
    });
  });

  it('keeps the input except passwords', () => {
    const values = findAll(page, 'input').map(({ attributes }) => [
      attributes.get('name'),
      attributes.get('value'),
    ]);
    expect(values).toContainEqual(['email', 'ada.lovelace@']);
    expect(values).toContainEqual(['password', undefined]);
  });
});

function raise(message: string): never {
  throw new Error(message);
}

/** Keys of a view whose values do not come from users: keywords and URLs of the server. */
const NON_USER_KEYS = new Set([
  'code',
  'field',
  'type',
  'kind',
  'status',
  'variant',
  'outcome',
  'purpose',
  'state',
  'change',
  'reason',
  'role',
  'to',
  'authMethod',
  'language',
  'server',
]);

/** Returns the view with every free text replaced. */
function mapTexts(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (NON_USER_KEYS.has(key) || value === null || value instanceof Date) return value;
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, key));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, change, name)]),
  );
}

const isAddress = (text: string) => text.startsWith('/') || /^(https?|mailto|com\.[\w.]+):/.test(text);

/** Returns the names of elements and attributes in document order, without texts. */
function structureOf(page: HtmlElement): string[] {
  return findAll(page).map(({ name, attributes }) => [name, ...attributes.keys()].join(' '));
}

describe('text from users and applications (OWASP: output encoding for HTML)', () => {
  it.each(samples)('is always rendered as text in $name', (sample) => {
    const payloads: string[] = [];
    const numbers = new Map<string, number>();
    /** Returns the view with each text replaced by an attack of one kind. */
    const withTexts = (toText: (start: string, number: number) => string) =>
      mapTexts(sample.view, (text, key) => {
        numbers.set(text, numbers.get(text) ?? numbers.size);
        const replaced = toText(isAddress(text) ? '/' : '', numbers.get(text) ?? 0);
        // The token is only in forms, and not every state of a page has one.
        if (key !== 'csrf') payloads.push(replaced);
        return replaced;
      }) as object;
    const harmless = render(
      sample,
      'en',
      withTexts((start, number) => `${start}text${number}`),
    );
    payloads.length = 0;
    const page = render(
      sample,
      'en',
      withTexts((start, number) => `${start}<script>"'&${number}</script>`),
    );
    expect(structureOf(page)).toEqual(structureOf(harmless));
    const attributes = findAll(page).flatMap((element) => [...element.attributes.values()]);
    const shown = [textOf(page), ...attributes].join('\n');
    expect(payloads.filter((payload) => !shown.includes(payload))).toEqual([]);
  });

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    '//attacker.example',
    '/\\attacker.example',
    '/\t/attacker.example',
  ])('never becomes a link, an image or the target of a form when it is %j', (address) => {
    for (const sample of samples) {
      const view = mapTexts(sample.view, (text) => (isAddress(text) ? address : text));
      const targets = findAll(render(sample, 'en', view as object)).flatMap(({ attributes }) =>
        ['href', 'src', 'srcset', 'action', 'formaction'].map((name) => attributes.get(name)),
      );
      expect(targets).not.toContain(address);
    }
  });

  it.each(['com.example.app:/callback', 'COM.example.app:x', 'data.example:,x'])(
    'becomes a link to an app such as %j only for a response to its redirect URI',
    (address) => {
      for (const sample of samples) {
        const view = mapTexts(sample.view, (text) => (isAddress(text) ? address : text));
        const links = findAll(render(sample, 'en', view as object)).filter(({ attributes }) =>
          ['href', 'src', 'srcset', 'action', 'formaction'].some((name) => attributes.get(name) === address),
        );
        expect(links.filter(({ attributes }) => attributes.get('id') !== 'go-on')).toEqual([]);
      }
    },
  );

  it('reaches templates only escaped, except for markup from other templates', () => {
    for (const template of templates())
      for (const [, raw = ''] of template.matchAll(/<%~\s*([^%]*)/g))
        expect(raw).toMatch(/^(include\('\.\/|it\.body |rich\()/);
  });
});

function templates(): string[] {
  const folder = new URL('templates/', import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.eta'))
    .map((path) => readFileSync(new URL(path, folder), 'utf8'));
}
