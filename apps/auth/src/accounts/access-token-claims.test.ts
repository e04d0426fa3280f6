import { expect, test } from 'vitest';
import { createAccount, toAccessTokenClaims } from './account/account.ts';

const account = createAccount(
  {
    id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
    email: 'ada@example.org',
    emailVerified: false,
    profile: {},
    passwordHash: null,
    role: 'customer',
  },
  new Date(),
);

test('access tokens contain the address of a user only if it is verified', () => {
  expect(toAccessTokenClaims(account)).toEqual({ role: 'customer' });
  expect(toAccessTokenClaims({ ...account, emailVerified: true })).toEqual({
    role: 'customer',
    email: 'ada@example.org',
    email_verified: true,
  });
});
