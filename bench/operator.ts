import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const cli = join(import.meta.dirname, '../apps/auth/src/cli/main.ts');
const run = promisify(execFile);

/**
 * Runs one `keydesk` command against the database of an environment; what it prints as JSON. It leaves the event loop
 * free, which has to learn of connections that the server closes meanwhile.
 */
export async function operate<T>(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<T> {
  const running = run(process.execPath, [cli, ...args, '--json'], { env: { ...process.env, ...env } });
  running.child.stdin?.end(input);
  const { stdout } = await running;
  return JSON.parse(stdout) as T;
}
