import { describe, expect, it } from 'vitest';
import { languages } from '../pages/language.ts';
import { messageKinds, messageTexts } from './message-texts.ts';
import { composeMail, languageOf } from './messages.ts';

const values = {
  service: 'Acme Help',
  email: 'ann@example.org',
  newEmail: 'ann@example.net',
  link: 'https://auth.example/do?token=abc&x=1',
  ttlSeconds: 1_800,
  day: new Date('2026-02-14T12:00:00Z'),
  clientId: 'client-1',
  requestId: 'request-1',
  role: 'agent',
  application: 'Printshop',
  reason: 'It reads too much.',
  from: 'bob@example.org',
  person: 'eve@example.org',
  device: { browser: 'Firefox', system: 'Linux', kind: 'computer' },
  address: '192.0.2.1',
  at: new Date('2026-01-31T09:40:00Z'),
} as const;
const everyMessage = languages.flatMap((language) => messageKinds.map((kind) => ({ language, kind })));

describe('the messages', () => {
  it.each(everyMessage)('$kind in $language is complete, in text and in HTML', ({ language, kind }) => {
    const mail = composeMail(kind, { to: 'ann@example.org', language, values });
    expect(mail.subject).toContain('Acme Help');
    const hasLink = messageTexts[language].messages[kind].action !== undefined;
    expect(mail.text.includes(values.link)).toBe(hasLink);
    expect(mail.html?.includes('https://auth.example/do?token=abc&amp;x=1')).toBe(hasLink);
    for (const part of [mail.subject, mail.text, mail.html]) expect(part).not.toMatch(/[{}]|undefined/);
  });

  it('have the same placeholders in every language', () => {
    const placeholdersOf = (texts: object) =>
      [...JSON.stringify(texts).matchAll(/\{\w+\}/g)].map(String).sort();
    for (const { language, kind } of everyMessage)
      expect(placeholdersOf(messageTexts[language].messages[kind])).toEqual(
        placeholdersOf(messageTexts.en.messages[kind]),
      );
  });

  it.each([
    [{ browser: 'Safari', system: 'iOS' }, 'Safari on iOS', 'Safari auf iOS'],
    [{ browser: 'Safari' }, 'Safari', 'Safari'],
    [{ system: 'Linux' }, 'an unknown browser on Linux', 'ein unbekannter Browser auf Linux'],
    [{}, 'an unknown device', 'ein unbekanntes Gerät'],
  ])('name the device %j and the time of a sign-in in words', (names, en, de) => {
    const device = { kind: 'other', ...names } as const;
    const textIn = (language: 'en' | 'de') =>
      composeMail('new_device', { to: values.email, language, values: { ...values, device } }).text;
    expect(textIn('en')).toContain(`: ${en}, network address 192.0.2.1, 31 January 2026 at 09:40 UTC.`);
    expect(textIn('de')).toContain(`: ${de}, Netzwerkadresse 192.0.2.1, 31. Januar 2026 um 09:40 UTC.`);
  });

  it.each([
    { ttlSeconds: 60, en: '1 minute', de: '1 Minute' },
    { ttlSeconds: 1_800, en: '30 minutes', de: '30 Minuten' },
    { ttlSeconds: 3_600, en: '1 hour', de: '1 Stunde' },
    { ttlSeconds: 86_400, en: '24 hours', de: '24 Stunden' },
    { ttlSeconds: 604_800, en: '7 days', de: '7 Tage' },
    { ttlSeconds: 5_400, en: '90 minutes', de: '90 Minuten' },
  ])('express $ttlSeconds seconds in words', ({ ttlSeconds, ...expected }) => {
    for (const language of languages) {
      const { text } = composeMail('reset_password', {
        to: values.email,
        language,
        values: { ...values, ttlSeconds },
      });
      expect(text).toMatch(new RegExp(`\\b${expected[language]}\\b`));
    }
  });

  it.each([
    [undefined, '#3350c8', '#ffffff'],
    ['#a01020', '#a01020', '#ffffff'],
    ['#7ab800', '#7ab800', '#000000'],
  ])('have a button in the brand color %s, with readable text (WCAG 2.2, 1.4.3)', (accentColor, ...pair) => {
    const { html } = composeMail('reset_password', { to: values.email, language: 'en', values, accentColor });
    expect(html).toContain(`background:${pair[0]};color:${pair[1]}`);
  });

  it('escape every value in HTML', () => {
    const service = '<img src=x onerror=alert(1)>"\'&{email}';
    const { html } = composeMail('reset_password', {
      to: values.email,
      language: 'en',
      values: { ...values, service },
    });
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;{email}');
    expect(html).not.toContain('<img');
  });
});

describe('the language of a mail', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE_ch', 'de'],
    ['en-GB', 'en'],
    ['tlh', 'en'],
    ['den', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('for the locale %j is %s', (locale, language) => {
    expect(languageOf(locale)).toBe(language);
  });
});
