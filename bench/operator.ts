import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const cli = join(import.meta.dirname, '../apps/auth/src/cli/main.ts');

/** Runs one `keydesk` command against the database of an environment; what it prints as JSON. */
export function operate<T>(env: Readonly<Record<string, string>>, args: readonly string[], input = ''): T {
  const output = execFileSync(process.execPath, [cli, ...args, '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    input,
  });
  return JSON.parse(output) as T;
}
