import { describe, expect, it } from 'vitest';
import { parseEmail } from './email-address.ts';

describe('an e-mail address', () => {
  it.each([
    ['ann@example.org', 'ann@example.org'],
    ['  Ann.Miller+help@Example.ORG ', 'ann.miller+help@example.org'],
    ["o'brien@example.org", "o'brien@example.org"],
    ['ann@Bücher.example', 'ann@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
  ])('%j is normalized to %j', (text, email) => {
    expect(parseEmail(text)).toBe(email);
  });

  it.each([
    '',
    'ann',
    '@example.org',
    'ann@',
    'ann@localhost',
    'ann@@example.org',
    'a b@example.org',
    'ann@example.org,eve@example.org',
    'eve@example.org\nann@example.org',
    'ann@example.org\r\nBcc: eve@example.org',
    'ann@exa\nmple.org',
    'ann@exam%70le.org',
    'ann@example.org/eve',
    'ann@example.org?cc=eve@example.net',
    'ann@example.org#@example.net',
    'ann@example.org?eve',
    'ann@example.org#eve',
    'ann@example.org\\eve',
    '\u212Aate@example.org',
    'änn@example.org',
    'Ann <ann@example.org>',
    'ann@example.org (comment)',
    '"ann eve"@example.org',
    'ann@[127.0.0.1]',
    'ann\0@example.org',
    `${'a'.repeat(65)}@example.org`,
    `ann@${'a.'.repeat(130)}org`,
  ])('%j is invalid', (text) => {
    expect(parseEmail(text)).toBeUndefined();
  });

  it('is normalized', () => {
    expect(parseEmail('ANN@EXAMPLE.ORG')).toBe(parseEmail('ann@example.org'));
    expect(parseEmail(parseEmail('ann@Bücher.example') ?? '')).toBe(parseEmail('ann@BÜCHER.example'));
  });
});
