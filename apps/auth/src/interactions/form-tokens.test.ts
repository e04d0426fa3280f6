import { describe, expect, it } from 'vitest';
import { createFormTokens } from './form-tokens.ts';

describe('the token of a form (RFC 9700 §2.1, CSRF)', () => {
  const key = Buffer.alloc(32, 1);
  const tokens = createFormTokens(key, 'session');
  const token = tokens.tokenFor('some-id');

  it('is good for its holder', () => {
    expect(tokens.isTokenFor('some-id', token)).toBe(true);
  });

  it('is another for each page, so that a form is told from the same one sent again', () => {
    expect(tokens.tokenFor('some-id')).not.toBe(token);
  });

  it.each([
    ['another holder', tokens, 'other-id', token],
    ['a holder of another kind with the same id', createFormTokens(key, 'browser'), 'some-id', token],
    ['another server', createFormTokens(Buffer.alloc(32, 2), 'session'), 'some-id', token],
    ['nobody, when it is cut off', tokens, 'some-id', token.slice(0, -4)],
    ['nobody, when it is empty', tokens, 'some-id', ''],
    ['nobody, when it is another of the same length', tokens, 'some-id', 'A'.repeat(token.length)],
  ])('is not good for %s', (_, judge, id, presented) => {
    expect(judge.isTokenFor(id, presented)).toBe(false);
  });
});
