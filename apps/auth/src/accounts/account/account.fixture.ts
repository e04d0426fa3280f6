import { v7 as newId } from 'uuid';
import { type Account, createAccount } from './account.ts';

const now = new Date('2026-03-01T12:00:00.123Z');

/** Creates an account for tests, with a unique address unless one is given. */
export function exampleAccount(members: Partial<Account> = {}): Account {
  const id = newId();
  const account = createAccount(
    {
      id,
      email: `${id}@example.org`,
      emailVerified: false,
      profile: {},
      passwordHash: null,
      role: 'customer',
    },
    now,
  );
  return { ...account, ...members };
}
