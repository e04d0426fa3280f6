import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';

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
export async function addDemoAccounts(file: string, env: NodeJS.ProcessEnv): Promise<readonly DemoAccount[]> {
  if (existsSync(file)) return [];
  const { runCli } = await import('../../apps/auth/src/cli/program.ts');
  const added: DemoAccount[] = [];
  for (const { role, name } of people) {
    const account = {
      email: `${role}@example.com`,
      role,
      password: randomBytes(PASSWORD_BYTES).toString('base64url'),
    };
    const args = [
      'account',
      'add',
      '--email',
      account.email,
      '--name',
      name,
      '--role',
      role,
      '--password-stdin',
    ];
    const code = await runCli(args, {
      env,
      print: () => undefined,
      // An account from an earlier data folder on the same database stays unchanged.
      printError: () => undefined,
      readInput: async () => account.password,
    });
    if (code === 0) added.push(account);
  }
  writeFileSync(file, `${JSON.stringify(added.map(({ email, role }) => ({ email, role })))}\n`, {
    mode: 0o600,
  });
  return added;
}
