import { describe, expect, it } from 'vitest';
import { createCsrfTokens } from './form-guard.ts';

describe('a CSRF token (RFC 9700 §2.1)', () => {
  const key = Buffer.alloc(32, 1);
  const tokens = createCsrfTokens(key, 'session');
  const token = tokens.tokenFor('some-id');

  it('is valid for its holder', () => {
    expect(tokens.isTokenFor('some-id', token)).toBe(true);
  });

  it('differs on each page, so that a repeated form can be detected', () => {
    expect(tokens.tokenFor('some-id')).not.toBe(token);
  });

  it.each([
    ['another holder', tokens, 'other-id', token],
    ['a holder of another kind with the same id', createCsrfTokens(key, 'browser'), 'some-id', token],
    ['another server', createCsrfTokens(Buffer.alloc(32, 2), 'session'), 'some-id', token],
    ['any holder if it is truncated', tokens, 'some-id', token.slice(0, -4)],
    ['any holder if it is empty', tokens, 'some-id', ''],
    ['any holder if it is another text of the same length', tokens, 'some-id', 'A'.repeat(token.length)],
  ])('is not valid for %s', (_, judge, id, presented) => {
    expect(judge.isTokenFor(id, presented)).toBe(false);
  });
});
