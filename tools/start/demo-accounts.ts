import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { Keydesk } from './keydesk.ts';

/** A demo account; its password is printed once and not stored. */
export interface DemoAccount {
  email: string;
  role: string;
  password: string;
}

/** One person per role. */
const people = [
  { role: 'customer', name: 'Robin Carter' },
  { role: 'agent', name: 'Alex Morgan' },
  { role: 'admin', name: 'Sam Taylor' },
];
/** 96 random bits in 16 characters. */
const PASSWORD_BYTES = 12;

/**
 * Adds one account per role at the first start of a data folder.
 *
 * @param file records that the accounts were added
 */
export async function addDemoAccounts(file: string, keydesk: Keydesk): Promise<readonly DemoAccount[]> {
  if (existsSync(file)) return [];
  const added: DemoAccount[] = [];
  for (const { role, name } of people) {
    const account = {
      email: `${role}@example.com`,
      role,
      password: randomBytes(PASSWORD_BYTES).toString('base64url'),
    };
    const args = ['--email', account.email, '--name', name, '--role', role, '--password-stdin'];
    // Fails for an account from an earlier data folder on the same database, which stays unchanged.
    const { code } = await keydesk.run(['account', 'add', ...args], account.password);
    if (code === 0) added.push(account);
  }
  writeFileSync(file, `${JSON.stringify(added.map(({ email, role }) => ({ email, role })))}\n`, {
    mode: 0o600,
  });
  return added;
}
