import { v7 as newId } from 'uuid';
import { type Account, createAccount } from './account.ts';

const now = new Date('2026-03-01T12:00:00.123Z');

/** An account of a test, with an address of its own unless given one. */
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
