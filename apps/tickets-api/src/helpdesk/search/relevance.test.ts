import { expect, test } from 'vitest';
import { toScore } from './relevance.ts';

const text = { subject: '', description: '', replies: '', notes: '' };
const terms = [{ words: ['fire'], isPrefix: false }];
const everyone = { isPublicOnly: true };

test('ranks a match in the subject above any number of matches elsewhere', () => {
  const inSubject = toScore({ ...text, subject: ' fire ' }, terms, everyone);
  const elsewhere = toScore({ ...text, description: ' fire fire fire fire fire fire ' }, terms, everyone);
  expect(inSubject).toBeGreaterThan(elsewhere);
  expect(elsewhere).toBeGreaterThan(toScore({ ...text, description: ' fire ' }, terms, everyone));
});

test('counts internal replies only for staff', () => {
  const noted = { ...text, notes: ' fire ' };
  expect(toScore(noted, terms, everyone)).toBe(0);
  expect(toScore(noted, terms, { isPublicOnly: false })).toBeGreaterThan(0);
});
