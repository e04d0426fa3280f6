import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { english } from './messages/english.ts';
import { createTranslator, type MessageKey, translations } from './messages.ts';
import { samples } from './samples.fixture.ts';
import { describeScope } from './scopes.ts';

const inEnglish = createTranslator('en', String);
const inGerman = createTranslator('de', String);
const keys = Object.keys(english) as MessageKey[];

describe('the catalogue', () => {
  it('has the same placeholders in every language', () => {
    const placeholders = (text: string) => [...text.matchAll(/\{[^}]+\}/g)].map(String).sort();
    for (const [language, texts] of Object.entries(translations))
      for (const key of keys)
        expect(placeholders(texts[key]), `${key} in "${language}"`).toEqual(placeholders(english[key]));
  });

  it('has no unused text', () => {
    const uses = sourcesOf('.').map((source) => source.matchAll(/(['`])([a-z_]+\.[a-z_.${}A-Z]+)\1/g));
    const patterns = uses.flatMap((matches) =>
      [...matches].map(
        ([, , key = '']) => new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{[^}]+\}/g, '\\w+')}$`),
      ),
    );
    expect(keys.filter((key) => !patterns.some((pattern) => pattern.test(key)))).toEqual([]);
  });

  it('has a sample of every error page', () => {
    const variants = keys.flatMap((key) => key.match(/^error\.(\w+)\.title$/)?.[1] ?? []);
    const shown = samples.map(({ view }) => ('variant' in view ? view.variant : undefined));
    expect(variants.filter((variant) => !shown.includes(variant))).toEqual([]);
  });
});

describe('the permission to see a profile (OpenID Connect Core §5.4)', () => {
  it('is described as more than a name', () => {
    expect(describeScope('profile', inEnglish).detail).toContain('birthday');
    expect(describeScope('profile', inGerman).detail).toContain('Geburtstag');
  });
});

describe('a translator', () => {
  it('formats durations and dates by language', () => {
    expect(inEnglish.text('problem.too_many_attempts', { wait: 300 })).toContain('in 5 minutes.');
    expect(inGerman.text('problem.too_many_attempts', { wait: 60 })).toContain('in 1 Minute erneut');
    const day = new Date('2026-01-31T23:30:00Z');
    expect(inEnglish.text('account.password_changed', { day })).toBe('Last changed on 31 January 2026');
    expect(inGerman.text('account.password_changed', { day })).toBe('Zuletzt geändert am 31. Januar 2026');
  });

  it.each([
    [30, '30 seconds'],
    [90, '90 seconds'],
    [119.2, '120 seconds'],
    [121, '3 minutes'],
    [3_600, '1 hour'],
    [86_400, '24 hours'],
  ])('never states a shorter wait than %d seconds', (wait, expected) => {
    expect(inEnglish.text('error_page.wait', { wait })).toBe(`Please try again in ${expected}.`);
  });

  it('escapes the message and isolates its values in HTML', () => {
    const translator = createTranslator('en', (text) => text.replaceAll(' ', '&nbsp;'));
    expect(translator.html('application.by', { owner: 'Ada Lovelace' })).toBe(
      'by&nbsp;<strong><bdi>Ada&nbsp;Lovelace</bdi></strong>',
    );
  });

  it('does not expand a value that looks like a placeholder', () => {
    expect(inEnglish.text('application.by', { owner: '{owner} $& {brand}' })).toBe('by {owner} $& {brand}');
  });

  it('rejects an unknown message and a missing value', () => {
    expect(() => inEnglish.text('no.such' as 'form.name')).toThrow('no message "no.such"');
    expect(() => inEnglish.text('constructor' as 'form.name')).toThrow('no message');
    expect(() => inEnglish.text('application.by', {} as { owner: string })).toThrow(
      'needs a value for "owner"',
    );
  });
});

/** Reads every file in this folder that can use a message. */
function sourcesOf(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, import.meta.url), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'messages' ? [] : sourcesOf(path);
    const isSource = /\.(eta|ts)$/.test(entry.name) && !/\.(test|fixture)\.ts$/.test(entry.name);
    return isSource ? [readFileSync(new URL(path, import.meta.url), 'utf8')] : [];
  });
}
