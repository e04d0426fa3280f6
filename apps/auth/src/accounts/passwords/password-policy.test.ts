import { measureCpuMs } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCommonPasswords, createPasswordPolicy, type PasswordPolicy } from './password-policy.ts';

describe('a new password (NIST SP 800-63B §5.1.1.2)', () => {
  let policy: PasswordPolicy;

  beforeAll(async () => {
    const commonPasswords = createCommonPasswords();
    policy = createPasswordPolicy({
      minLength: 10,
      commonPasswords,
      serviceNames: ['Keydesk', 'Acme Help-Desk'],
    });
  });

  const codesOf = (password: string) =>
    policy.validate(password, 'ann.miller85@bigcorp.example').map(({ code }) => code);

  it.each([
    'correct horse battery staple',
    'kx7#Qm2!vB',
    'nur kleine buchstaben',
    '72914 60385 11827',
    'пароль из пяти слов',
    '👩‍🚀🚀🌍🌕✨🪐☄️🛰️',
    ' spaces count too ',
    'x'.repeat(5) + 'abcdefghijk'.repeat(20),
    'the-monkey-and-the-dragon',
    // More than six digits do not count as decoration.
    'monkey 8271 9430',
  ])('is accepted: %j', (password) => {
    expect(codesOf(password)).toEqual([]);
  });

  it.each([
    ['', 'too_short'],
    ['kx7#Qm2!v', 'too_short'],
    // Nine code points, but more bytes and UTF-16 units.
    ['🚀🌍🌕✨🪐🛸🛰🔭🌌', 'too_short'],
    ['aaaaaaaaaaaaaaaa', 'too_simple'],
    ['121212121212', 'too_simple'],
    ['1234567890', 'too_common'],
    ['qwertyuiop', 'too_common'],
    ['basketball', 'too_common'],
    ['PASSWORD123', 'too_common'],
    ['Password123!', 'too_common'],
    ['!!monkey123', 'too_common'],
    ['2026-Summer!', 'too_common'],
    ['ｐａｓｓｗｏｒｄ１２３', 'too_common'],
    ['ann.miller85@bigcorp.example', 'too_personal'],
    ['annmiller85', 'too_personal'],
    ['Ann.Miller1985!', 'too_personal'],
    ['miller2026!', 'too_personal'],
    ['Bigcorp2026!', 'too_personal'],
    ['keydesk2026', 'too_personal'],
    ['acmehelpdesk', 'too_personal'],
    ['a1b2c3d4e5'.repeat(26), 'too_long'],
  ])('is rejected: %j (%s)', (password, code) => {
    expect(codesOf(password)).toEqual([code]);
  });

  it.each([
    ['aaaa', ['too_short', 'too_simple']],
    ['monkey1!', ['too_short', 'too_common']],
    ['miller85', ['too_short', 'too_personal']],
  ])('is rejected with every reason: %j', (password, codes) => {
    expect(codesOf(password)).toEqual(codes);
  });

  it('is checked for its length before any other work', () => {
    const huge = '\uFDFA'.repeat(5_000_000);
    const judged = measureCpuMs(() => expect(codesOf(huge)).toEqual(['too_long']));
    expect(judged).toBeLessThan(measureCpuMs(() => huge.normalize('NFKC')) / 5);
  });

  it('counts characters, up to 256 of any kind', () => {
    const emoji = ['🚀', '🌍', '🌕', '🪐', '🛸', '🔭', '🌌', '🌠'].join('').repeat(32);
    expect(codesOf(emoji)).toEqual([]);
    expect(codesOf(`${emoji}🚀`)).toEqual(['too_long']);
  });
});
